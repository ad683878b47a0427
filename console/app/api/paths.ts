import { stateOfSlug } from '../view/state-slugs.js';

/** Rows that a list reads at first: a little more than fits; and with each further page. */
const FIRST_PAGE = 50;
const NEXT_PAGE = 200;
/** Events that the page of a task draws: the newest ones. */
export const FIRST_EVENTS = 400;

/** Where the API has a task. */
export function taskPath(id: string): string {
  return `/tasks/${encodeURIComponent(id)}`;
}

/** Where the API has the events that the page of a task draws. */
export function eventsPath(id: string): string {
  return `${taskPath(id)}/events?last=${String(FIRST_EVENTS)}`;
}

/** Where the API has a page of the list. */
export function listPath(query: string, after?: string): string {
  const page = after === undefined ? `limit=${String(FIRST_PAGE)}` : `limit=${String(NEXT_PAGE)}&after=${after}`;
  return `/tasks?${query === '' ? '' : `${query}&`}${page}`;
}

/** Where the API has the tasks whose ids begin with a text. */
export function beginningPath(text: string, limit: number): string {
  return `/tasks?id=${encodeURIComponent(text)}&limit=${String(limit)}`;
}

/** The filter of the API, from that of the address. */
export function queryOf({ state, skill, client, context, since }: Readonly<Record<string, string>>): string {
  const params = new URLSearchParams();
  const seconds = Number(since);
  const members = {
    ...{ state: stateOfSlug(state), skill, client, context },
    // Whole minutes: the filter stays the same while the page is open.
    since: seconds > 0 ? new Date(Math.floor(Date.now() / 60_000) * 60_000 - seconds * 1_000).toISOString() : undefined,
  };
  for (const [name, value] of Object.entries(members)) if (value !== undefined && value !== '') params.set(name, value);
  return params.toString();
}

/** First requests of the screen of an address, so that they can be sent before the screen is drawn. */
export function firstPaths(
  [first = 'tasks', id, tab]: readonly string[],
  query: Readonly<Record<string, string>>,
): readonly string[] {
  if (first !== 'tasks') return ['/me'];
  if (id === undefined) return ['/me', listPath(queryOf(query))];
  const base = taskPath(id);
  const parts = ['/me', base, `${base}/tree`, `${base}/webhooks`];
  return tab === undefined ? [...parts, eventsPath(id)] : parts;
}
