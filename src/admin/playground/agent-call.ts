import { Logger } from '@nestjs/common';
import { A2AError } from '@parley/protocol/model/errors.js';
import type { Message } from '@parley/protocol/model/message.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { AgentClient, AnswerBounds, CallOptions } from '@parley/client/call/agent-client.js';
import type { AgentHttp } from '@parley/client/http/agent-http.js';
import { invalidAnswer, RemoteError } from '@parley/client/http/remote-errors.js';
import { NotedHttp, type WireNote } from '@parley/client/http/wire-log.js';
import type { RemoteEvent, RemoteTask } from '@parley/protocol/remote/remote-model.js';

/** Operations that the playground can call. */
export const TRIED_OPERATIONS = [
  'SendMessage',
  'SendStreamingMessage',
  'GetTask',
  'SubscribeToTask',
  'CancelTask',
] as const;

/** A call requested by a person. */
export interface TriedCall {
  readonly operation: (typeof TRIED_OPERATIONS)[number];
  readonly message?: Message;
  readonly metadata?: JsonObject;
  readonly returnImmediately?: boolean;
  readonly taskId?: string;
  /** Id of the event after which a stream is resumed. */
  readonly after?: string;
}

/** An answer of the agent, with the id of its event. */
export interface CallResult {
  readonly id?: string | undefined;
  readonly result: RemoteEvent | RemoteTask;
}

/** Frames of a running call, in order. The last one is `failed` or `ended`. */
export type CallFrame =
  | Exclude<WireNote, { readonly kind: 'broken' }>
  | (CallResult & { readonly kind: 'result' })
  | { readonly kind: 'failed'; readonly fault: string; readonly why: string }
  | { readonly kind: 'ended' };

/** Bounds of one answer, and of one line of a stream, in bytes. */
export const CALL_BOUNDS: AnswerBounds = { answer: 4 * 1_048_576, line: 1_048_576 };
/** Characters that an agent may send in one call. */
const MAX_CHARACTERS = 8 * 1_048_576;
/** Additional cost of each line, so that the number of short lines is bounded too. */
const LINE_COST = 256;
/** Characters of one text in the wire log. */
const MAX_SHOWN = 128 * 1024;
const STREAM_MS = 600_000;

/** One call to another agent, streamed while it runs. Read chunk by chunk: a slow reader slows the agent down. */
export class AgentCall {
  private readonly log = new Logger(AgentCall.name);
  private readonly end = new AbortController();
  private notes: CallFrame[] = [];
  private characters = 0;
  private wake: () => void = () => undefined;

  constructor(private readonly call: TriedCall) {}

  /** Records the traffic, and ends the call when it exceeds its bounds. */
  readonly through = (http: AgentHttp): AgentHttp => new NotedHttp(http, (note) => this.note(note));

  get signal(): AbortSignal {
    return this.end.signal;
  }

  /** Ends the call by closing its connection. */
  stop(): void {
    this.end.abort();
  }

  /** The agent's answers, event by event. @throws RemoteError */
  async *results(client: AgentClient): AsyncGenerator<CallResult, void, void> {
    const { operation, taskId: id = '', after } = this.call;
    const call: CallOptions = { signal: this.end.signal };
    const stream: CallOptions = { ...call, deadlines: { total: STREAM_MS } };
    switch (operation) {
      case 'SendMessage':
        yield { result: await client.sendMessage(this.sent, call) };
        return;
      case 'GetTask':
        yield { result: await client.getTask({ id }, call) };
        return;
      case 'CancelTask':
        yield { result: await client.cancelTask({ id }, call) };
        return;
      case 'SendStreamingMessage':
        for await (const { id, event } of client.streamMessage(this.sent, stream)) yield { id, result: event };
        return;
      case 'SubscribeToTask':
        for await (const { id: at, event } of client.subscribe({ id }, { ...stream, after })) {
          yield { id: at, result: event };
        }
    }
  }

  /** The frames of the call from its first request on. Never throws. */
  async *frames(results: AsyncGenerator<CallResult, void, void>): AsyncGenerator<{ event: CallFrame }, void, void> {
    try {
      for (let next = results.next(); ;) {
        const arrived = await Promise.race([next, this.noted()]);
        for (const event of this.notes.splice(0)) yield { event };
        if (arrived === undefined) continue;
        if (arrived.done === true) break;
        yield { event: { kind: 'result', ...arrived.value } };
        next = results.next();
      }
      yield { event: { kind: 'ended' } };
    } catch (error) {
      for (const event of this.notes.splice(0)) yield { event };
      yield { event: this.failed(error) };
    } finally {
      this.stop();
    }
  }

  private get sent() {
    const { message, metadata, returnImmediately = false } = this.call;
    if (message === undefined) throw new RemoteError('refused', 'There is no message to send');
    return { message, configuration: { returnImmediately }, ...(metadata === undefined ? {} : { metadata }) };
  }

  private note(note: WireNote): void {
    if (note.kind === 'broken') return;
    if (note.kind === 'text') this.characters += note.text.length + LINE_COST;
    // Comments only keep connections alive.
    if (note.kind !== 'text' || !note.text.startsWith(':')) this.notes.push(shortened(note));
    this.wake();
    if (this.characters > MAX_CHARACTERS) {
      throw invalidAnswer(`The agent has sent more than ${String(MAX_CHARACTERS)} characters: the call was ended`);
    }
  }

  private noted(): Promise<undefined> {
    return new Promise((resolve) => {
      this.wake = () => {
        resolve(undefined);
      };
      if (this.notes.length > 0) this.wake();
    });
  }

  private failed(error: unknown): CallFrame {
    if (error instanceof RemoteError) return { kind: 'failed', fault: error.kind, why: error.message };
    if (error instanceof A2AError) return { kind: 'failed', fault: error.kind, why: error.message };
    if (this.end.signal.aborted) return { kind: 'failed', fault: 'stopped', why: 'The call was stopped' };
    this.log.error(error);
    return { kind: 'failed', fault: 'InternalError', why: 'The service could not make the call' };
  }
}

/** Truncates long texts: the wire log is for reading, and sent files are known. */
function shortened(note: Exclude<WireNote, { readonly kind: 'broken' }>): CallFrame {
  if (note.kind === 'answered') return note;
  if (note.kind === 'text') return { ...note, text: cut(note.text) };
  return note.body === undefined ? note : { ...note, body: cut(note.body) };
}

function cut(text: string): string {
  if (text.length <= MAX_SHOWN) return text;
  return `${text.slice(0, MAX_SHOWN)} … (${String(text.length)} characters)`;
}
