import { randomUUID } from 'node:crypto';
import { type AgentSubscriber, HttpAgent } from '@ag-ui/client';
import { HttpAgent as OldHttpAgent } from 'ag-ui-client-0';
import type { JsonObject } from '@parley/protocol/model/json.js';

/** The two clients that pages have: of the specification 1.0, and of the dialect before. */
export const CLIENTS = { '1.0.0': HttpAgent, '0.0.59': OldHttpAgent as unknown as typeof HttpAgent } as const;
export type ClientVersion = keyof typeof CLIENTS;
export const VERSIONS = Object.keys(CLIENTS) as ClientVersion[];

/** What a page has seen of a run. */
export interface SeenRun {
  readonly events: readonly (JsonObject & { readonly type: string })[];
  readonly error: Error | undefined;
  readonly result: unknown;
}

export type Page = HttpAgent;

/** A page of a client; with `fetch` its transport. */
export function aPage(
  url: string,
  {
    version = '1.0.0',
    ...config
  }: { version?: ClientVersion } & Partial<ConstructorParameters<typeof HttpAgent>[0]> = {},
): Page {
  return new CLIENTS[version]({ url, threadId: randomUUID(), ...config });
}

/** Says something to the agent, and sees the run. */
export async function say(
  page: Page,
  text: string,
  parameters: Parameters<Page['runAgent']>[0] = {},
): Promise<SeenRun> {
  page.addMessage({ id: randomUUID(), role: 'user', content: text });
  return seen(page, (subscriber) => page.runAgent(parameters, subscriber));
}

/** Sees a run, or a conversation that is opened again. */
export async function seen(
  page: Page,
  run: (subscriber: AgentSubscriber) => ReturnType<Page['runAgent']> = (subscriber) => page.runAgent({}, subscriber),
): Promise<SeenRun> {
  const events: SeenRun['events'][number][] = [];
  let error: Error | undefined;
  const subscriber: AgentSubscriber = {
    onEvent: ({ event }) => void events.push(event),
    onRunFailed: ({ error: failed }) => {
      error = failed;
    },
  };
  const end = await run(subscriber).catch((thrown: unknown) => {
    error ??= thrown as Error;
    return { result: undefined };
  });
  return { events, error, result: end.result };
}

/** The texts of the assistant's messages. */
export function textsOf({ messages }: Pick<Page, 'messages'>): readonly unknown[] {
  return messages.filter(({ role }) => role === 'assistant').map(({ content }) => content);
}

/** The frames of a recorded stream: each text is one. */
export function recorded(frames: readonly string[]): (url: string, init: RequestInit) => Promise<Response> {
  const body = frames.map((frame) => `data: ${frame}\n\n`).join('');
  return () => Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
}
