import { setTimeout as pause } from 'node:timers/promises';
import { framesOf } from '../sse-text.js';
import { type Caller, CALLERS } from './callers.js';

/** One task of the fixture. */
export interface FixtureTask {
  /** What it is there for. */
  readonly name: string;
  readonly caller: Caller;
  readonly id: string;
  /** The id of its first event, as streams give it. */
  readonly firstEvent: string;
  /** The client's own name for it, of tasks of 0.1. */
  readonly clientTaskId?: string;
  readonly hasWebhooks?: boolean;
}

/** Answers by question, as they came. */
export type Answers = Readonly<Record<string, unknown>>;

/** Longest time without an event after which a stream counts as read. */
const SILENCE_MS = 250;
const STATES = [
  'SUBMITTED',
  'WORKING',
  'COMPLETED',
  'FAILED',
  'CANCELED',
  'REJECTED',
  'INPUT_REQUIRED',
  'AUTH_REQUIRED',
];

/** Asks a service all that callers can read of these tasks: every dialect, lists, streams, webhooks. */
export async function interview(url: string, tasks: readonly FixtureTask[]): Promise<Answers> {
  const answers: Record<string, unknown> = {};
  const about = await Promise.all(tasks.map((task) => answersAbout(url, task)));
  for (const [at, task] of tasks.entries()) {
    for (const [question, answer] of Object.entries(about[at] ?? {})) answers[`${task.name}: ${question}`] = answer;
  }
  for (const caller of Object.keys(CALLERS) as Caller[]) {
    const contexts = new Set<string>();
    answers[`${caller}: pages of five`] = await pages(url, caller, {
      pageSize: 5,
      includeArtifacts: true,
      historyLength: 3,
    });
    for (const task of tasks.filter((one) => one.caller === caller)) contexts.add(await contextOf(url, task));
    for (const contextId of contexts)
      answers[`${caller}: context ${contextId}`] = await pages(url, caller, { contextId, historyLength: 0 });
    for (const state of STATES) {
      answers[`${caller}: ${state}`] = await pages(url, caller, { status: `TASK_STATE_${state}`, historyLength: 2 });
    }
    answers[`${caller}: dead letters`] = await get(url, caller, '/webhooks/dead-letters');
  }
  return answers;
}

async function answersAbout(url: string, task: FixtureTask): Promise<Record<string, unknown>> {
  const { id, caller, clientTaskId, firstEvent } = task;
  const answers: Record<string, unknown> = {
    'GetTask 1.0': await ask(url, caller, '1.0', 'GetTask', { id }),
    'GetTask 1.0, a message': await ask(url, caller, '1.0', 'GetTask', { id, historyLength: 1 }),
    'GetTask of somebody else': await ask(url, caller === 'alice' ? 'bob' : 'alice', '1.0', 'GetTask', { id }),
    'tasks/get 0.3': await ask(url, caller, '0.3', 'tasks/get', { id, historyLength: 100 }),
    'tasks/get 0.2': await ask(url, caller, '0.2', 'tasks/get', { id }),
    'tasks/get of no version': await ask(url, caller, undefined, 'tasks/get', { id, historyLength: 100 }),
    'GET of 1.0': await get(url, caller, `/tasks/${id}`, '1.0'),
    subscribe: await stream(url, caller, id),
    'subscribe from the first event': await stream(url, caller, id, firstEvent),
  };
  if (clientTaskId !== undefined) {
    const params = { id: clientTaskId, historyLength: 10 };
    answers['tasks/get by the name of the client'] = await ask(url, caller, '0.1', 'tasks/get', params);
  }
  if (task.hasWebhooks === true) {
    answers['webhooks 1.0'] = await ask(url, caller, '1.0', 'ListTaskPushNotificationConfigs', { taskId: id });
    answers['webhooks 0.3'] = await ask(url, caller, '0.3', 'tasks/pushNotificationConfig/list', { id });
    answers.attempts = await get(url, caller, `/webhooks/attempts/${id}`);
  }
  return answers;
}

async function contextOf(url: string, { id, caller }: FixtureTask): Promise<string> {
  const { result } = (await ask(url, caller, '1.0', 'GetTask', { id, historyLength: 0 })) as {
    result: { contextId: string };
  };
  return result.contextId;
}

/** All pages of a list; their tokens are left out. */
async function pages(url: string, caller: Caller, params: object): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for (let pageToken = ''; ;) {
    const answer = await ask(url, caller, '1.0', 'ListTasks', {
      ...params,
      ...(pageToken === '' ? {} : { pageToken }),
    });
    const { nextPageToken = '', ...page } = (answer as { result: { nextPageToken?: string } }).result;
    found.push(page);
    if (nextPageToken === '') return found;
    pageToken = nextPageToken;
  }
}

/** A call of JSON-RPC, in a version or in none. */
export async function ask(
  url: string,
  caller: Caller,
  ...[version, method, params]: readonly [string | undefined, string, object]
): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headersOf(caller, version), 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return response.json();
}

async function get(url: string, caller: Caller, path: string, version?: string): Promise<unknown> {
  const response = await fetch(`${url}${path}`, { headers: headersOf(caller, version) });
  return { status: response.status, body: await response.json() };
}

/** The events that come at once, with their ids. */
async function stream(url: string, caller: Caller, id: string, lastEventId?: string): Promise<unknown> {
  const abort = new AbortController();
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      ...headersOf(caller, '1.0'),
      'content-type': 'application/json',
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SubscribeToTask', params: { id } }),
    signal: abort.signal,
  });
  if (!(response.headers.get('content-type') ?? '').includes('event-stream')) return response.json();
  const text = await untilSilent(response, abort);
  return framesOf(text).map((frame) => ({ id: frame.id, data: JSON.parse(frame.data) as unknown }));
}

async function untilSilent(response: Response, abort: AbortController): Promise<string> {
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  for (let text = ''; ;) {
    const chunk = await Promise.race([reader?.read(), pause(SILENCE_MS)]);
    if (chunk === undefined || chunk.done) {
      abort.abort();
      return text;
    }
    text += decoder.decode(chunk.value, { stream: true });
  }
}

function headersOf(caller: Caller, version?: string): Record<string, string> {
  return { 'x-api-key': CALLERS[caller].key, ...(version === undefined ? {} : { 'a2a-version': version }) };
}
