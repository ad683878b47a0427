/** Events that the page of a task draws: the newest ones. */
export const FIRST_EVENTS = 400;

/** Where the API has a task. */
export function taskPath(id: string): string {
  return `/tasks/${encodeURIComponent(id)}`;
}
