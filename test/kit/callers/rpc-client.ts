import { randomUUID } from 'node:crypto';
import type { Task } from '@parley/protocol/model/task.js';

/** A JSON-RPC answer as it came. */
export interface RpcAnswer {
  readonly jsonrpc: string;
  readonly id: unknown;
  readonly result?: { readonly task?: Task } & Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: readonly ErrorDetail[] };
}

interface ErrorDetail {
  readonly '@type': string;
  readonly reason?: string;
  readonly fieldViolations?: readonly { readonly field: string; readonly description: string }[];
}

export interface SseEvent {
  readonly id: string | undefined;
  readonly data: RpcAnswer;
}

/** Speaks A2A 1.0 over JSON-RPC with nothing but fetch, so that tests see the bytes of the service. */
export class RpcClient {
  /** @param headers of every request, such as the caller's credential */
  constructor(
    private readonly url: string,
    private readonly headers: Readonly<Record<string, string>> = {},
  ) {}

  async post(body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return fetch(`${this.url}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0', ...this.headers, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  async call(method: string, params: unknown): Promise<RpcAnswer> {
    const response = await this.post({ jsonrpc: '2.0', id: 1, method, params });
    return (await response.json()) as RpcAnswer;
  }

  /** The task in the answer of an operation that gives one; throws when it gives an error. */
  async task(method: string, params: unknown): Promise<Task> {
    const { result, error } = await this.call(method, params);
    if (error !== undefined) throw new Error(`${method}: ${String(error.code)} ${error.message}`);
    return (result?.task ?? result) as Task;
  }

  /** Opens a stream and gives its events as they come. */
  async *stream(
    method: string,
    params: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): AsyncGenerator<SseEvent> {
    const response = await this.post({ jsonrpc: '2.0', id: 1, method, params }, headers);
    if (response.body === null) throw new Error('The answer has no body');
    let text = '';
    for await (const bytes of response.body.pipeThrough(new TextDecoderStream())) {
      text += bytes;
      const frames = text.split('\n\n');
      text = frames.pop() ?? '';
      yield* frames.flatMap(eventOf);
    }
  }
}

function eventOf(frame: string): readonly SseEvent[] {
  const data = /^data: (.*)$/m.exec(frame)?.[1];
  if (data === undefined) return [];
  return [{ id: /^id: (.*)$/m.exec(frame)?.[1], data: JSON.parse(data) as RpcAnswer }];
}

/** Params of SendMessage: a text for a skill. */
export function aMessage(
  text: string,
  { skillId, ...rest }: { readonly skillId?: string } & Record<string, unknown> = {},
): { message: Record<string, unknown> } {
  const metadata = skillId === undefined ? {} : { metadata: { skillId } };
  return { message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...metadata, ...rest } };
}
