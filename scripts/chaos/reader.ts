import { setTimeout as pause } from 'node:timers/promises';
import type { StreamResponse } from '../../src/protocol/event.js';
import type { Replicas } from './caller.js';
import type { Random } from './random.js';

/** How readers lose their streams: together they have so many disconnects to spend. */
export interface Disconnects {
  left: number;
}

const ENDS = ['TASK_STATE_COMPLETED', 'TASK_STATE_FAILED', 'TASK_STATE_CANCELED', 'TASK_STATE_REJECTED'];

/** One client of one task's stream, which is cut off again and again and resumes with `Last-Event-ID` anywhere. */
export class Reader {
  /** Everything it was given as an event, in the order of arrival. */
  readonly events: { readonly seq: number; readonly data: string }[] = [];
  readonly faults: string[] = [];
  taskId: string | undefined;
  /** Ms since the epoch at which it has the end of the task. */
  endedAt: number | undefined;
  private lastEventId: string | undefined;

  constructor(
    private readonly replicas: Replicas,
    private readonly random: Random,
    private readonly disconnects: Disconnects,
    /** Params that begin the task; absent for a reader of a task that others began. */
    private readonly beginning?: unknown,
  ) {}

  /** Reads to the end of the task. */
  async run(): Promise<void> {
    do {
      await this.readUntilCut();
    } while (this.endedAt === undefined);
  }

  private async readUntilCut(): Promise<void> {
    const cut = new AbortController();
    const isCut = this.disconnects.left > 0;
    if (isCut) this.disconnects.left -= 1;
    const timer = isCut ? setTimeout(() => cut.abort(), this.random.between(50, 1_500)) : undefined;
    try {
      await this.readOnce(cut.signal);
    } catch (error) {
      if (!cut.signal.aborted) this.faults.push(`the stream broke: ${String(error)}`);
    } finally {
      clearTimeout(timer);
    }
    await pause(this.random.between(10, 200));
  }

  private async readOnce(signal: AbortSignal): Promise<void> {
    const method = this.taskId === undefined ? 'SendStreamingMessage' : 'SubscribeToTask';
    const params = this.taskId === undefined ? this.beginning : { id: this.taskId };
    const resume = this.lastEventId === undefined ? {} : { 'last-event-id': this.lastEventId };
    const response = await fetch(`${this.random.pick(this.replicas()) ?? ''}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0', ...resume },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal,
    });
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

  private takeFrame(frame: string, isFirst: boolean): boolean {
    const data = /^data: (.*)$/m.exec(frame)?.[1];
    const id = /^id: (.*)$/m.exec(frame)?.[1];
    if (data === undefined) return false;
    const { result, error } = JSON.parse(data) as { result?: StreamResponse; error?: { message: string } };
    if (result === undefined || id === undefined) this.faults.push(`no event: ${error?.message ?? data}`);
    else if ('task' in result) this.takeTask(id, result.task, isFirst);
    else this.takeEvent(id, result);
    return true;
  }

  private takeTask(
    id: string,
    task: { readonly id: string; readonly status: { state: string } },
    isFirst: boolean,
  ): void {
    this.taskId = task.id;
    if (!isFirst) this.faults.push(`a task in the middle of the stream, at ${id}`);
    if (this.lastEventId === undefined) {
      this.events.push({ seq: seqOf(id), data: '' });
      this.lastEventId = id;
    } else if (id !== this.lastEventId) this.faults.push(`resumed at ${id} instead of ${this.lastEventId}`);
    if (ENDS.includes(task.status.state)) this.endedAt = Date.now();
  }

  private takeEvent(id: string, event: StreamResponse): void {
    const seq = seqOf(id);
    const expected = seqOf(this.lastEventId ?? '0') + 1;
    if (seq !== expected) this.faults.push(`event ${seq} came where ${expected} should`);
    this.events.push({ seq, data: JSON.stringify(event) });
    this.lastEventId = id;
    if ('statusUpdate' in event && ENDS.includes(event.statusUpdate.status.state)) this.endedAt = Date.now();
  }

  private takeRefusal(text: string): void {
    this.faults.push(`refused: ${text.slice(0, 200)}`);
  }
}

function seqOf(id: string): number {
  return Number(id.split('-')[0]);
}
