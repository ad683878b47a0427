import { setTimeout as pause } from 'node:timers/promises';
import type { StreamResponse } from '@parley/protocol/model/event.js';
import type { Replicas } from './caller.js';
import { isTerminalState, type Reading } from './history.js';
import type { Random } from './random.js';

/** How readers lose their streams: together they have this many disconnects to spend. */
export interface Disconnects {
  left: number;
}

export interface ReaderOptions {
  /** Params that begin the task; absent for a reader of a task that others began. */
  readonly beginning?: unknown;
  readonly taskId?: string;
  readonly disconnects?: Disconnects;
}

/** Faults after which a reader gives the stream up. */
const MAX_FAULTS = 20;
const UNSUPPORTED_OPERATION = -32004;
/** JSON-RPC's code for HTTP's 503. */
const UNAVAILABLE = -32000;

/** The service could not serve just now: the reader comes again, and must not have missed anything. */
class Interrupted extends Error {}

/** One client of one task's stream, which is cut off again and again and resumes with `Last-Event-ID` anywhere. */
export class Reader implements Reading {
  /** Everything it was given as an event, in the order of arrival. */
  readonly events: { readonly seq: number; readonly data: string }[] = [];
  readonly faults: string[] = [];
  taskId: string | undefined;
  /** Ms since the epoch at which it has the end of the task. */
  endedAt: number | undefined;
  isTooLate = false;
  /** Streams that broke without being cut. */
  interruptions = 0;
  /** Resolves with the task's id at the first event. */
  readonly begun: Promise<string>;
  private tellBegun: (taskId: string) => void = () => undefined;
  private lastEventId: string | undefined;

  constructor(
    private readonly replicas: Replicas,
    private readonly random: Random,
    private readonly options: ReaderOptions,
  ) {
    this.taskId = options.taskId;
    this.begun = new Promise((resolve) => {
      this.tellBegun = resolve;
    });
  }

  /** Reads to the end of the task, or until too much is wrong. */
  async run(): Promise<void> {
    do {
      await this.readUntilCut();
    } while (this.endedAt === undefined && !this.isTooLate && this.faults.length < MAX_FAULTS);
  }

  private async readUntilCut(): Promise<void> {
    const cut = new AbortController();
    const { disconnects } = this.options;
    const isCut = disconnects !== undefined && disconnects.left > 0;
    if (isCut) disconnects.left -= 1;
    const timer = isCut ? setTimeout(() => cut.abort(), this.random.between(50, 1_500)) : undefined;
    try {
      await this.readOnce(cut.signal);
    } catch {
      // Whatever broke the stream: the next one must continue where it ended.
      if (!cut.signal.aborted) this.interruptions += 1;
    } finally {
      clearTimeout(timer);
    }
    if (this.endedAt === undefined) await pause(this.random.between(10, 200));
  }

  private async readOnce(signal: AbortSignal): Promise<void> {
    const method = this.taskId === undefined ? 'SendStreamingMessage' : 'SubscribeToTask';
    const params = this.taskId === undefined ? this.options.beginning : { id: this.taskId };
    const resume = this.lastEventId === undefined ? {} : { 'last-event-id': this.lastEventId };
    const response = await fetch(`${this.random.pick(this.replicas()) ?? ''}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0', ...resume },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal,
    });
    if (response.status === 503) throw new Interrupted(await response.text());
    if (response.body === null) throw new Error('no body');
    let text = '';
    let isFirst = true;
    for await (const bytes of response.body.pipeThrough(new TextDecoderStream())) {
      text += bytes;
      const frames = text.split('\n\n');
      text = frames.pop() ?? '';
      for (const frame of frames) {
        if (this.takeFrame(frame, isFirst)) isFirst = false;
      }
    }
    if (isFirst && text !== '') this.takeRefusal(text);
  }

  /** Whether the frame held an event; comments and `retry:` hold none. */
  private takeFrame(frame: string, isFirst: boolean): boolean {
    const data = /^data: (.*)$/m.exec(frame)?.[1];
    const id = /^id: (.*)$/m.exec(frame)?.[1];
    if (data === undefined) return false;
    const { result, error } = JSON.parse(data) as {
      result?: StreamResponse;
      error?: { code: number; message: string };
    };
    if (error?.code === UNAVAILABLE) throw new Interrupted(error.message);
    if (result === undefined || id === undefined) this.faults.push(`no event: ${error?.message ?? data}`);
    else if ('task' in result) this.takeTask(id, result.task, isFirst);
    else this.takeEvent(id, result);
    return true;
  }

  /** A finished task has nothing to subscribe to (A2A-STRM-09), for a reader that has not seen any of it. */
  private takeRefusal(text: string): void {
    this.isTooLate = this.events.length === 0 && text.includes(String(UNSUPPORTED_OPERATION));
    if (!this.isTooLate) this.faults.push(`refused: ${text.slice(0, 200)}`);
  }

  private takeTask(
    id: string,
    task: { readonly id: string; readonly status: { state: string } },
    isFirst: boolean,
  ): void {
    this.taskId = task.id;
    this.tellBegun(task.id);
    if (!isFirst) this.faults.push(`a task in the middle of the stream, at ${id}`);
    if (this.lastEventId === undefined) {
      this.events.push({ seq: seqOf(id), data: '' });
      this.lastEventId = id;
    } else if (id !== this.lastEventId) this.faults.push(`resumed at ${id} instead of ${this.lastEventId}`);
    if (isTerminalState(task.status.state)) this.endedAt = Date.now();
  }

  private takeEvent(id: string, event: StreamResponse): void {
    this.events.push({ seq: seqOf(id), data: JSON.stringify(event) });
    this.lastEventId = id;
    if ('statusUpdate' in event && isTerminalState(event.statusUpdate.status.state)) this.endedAt = Date.now();
  }
}

function seqOf(id: string): number {
  return Number(id.split('-')[0]);
}
