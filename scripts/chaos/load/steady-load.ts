import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { call, type Order, paramsOf } from './caller.js';
import { emptyHistory, type History, type Notice } from './history.js';
import type { Random } from './random.js';
import { Reader } from './reader.js';

/** How a caller hears of its task's end: by the answer to a blocking call, by asking, or by a stream. */
const WAYS = ['waits', 'asks', 'reads'] as const;

export interface LoadOptions {
  readonly url: string;
  readonly random: Random;
  /** The webhook of every task, and the log of its deliveries. */
  readonly hook: string;
  readonly notices: readonly Notice[];
}

/** Callers at one address that never repeat a call: a failure is final. */
export class SteadyLoad {
  readonly history: History;
  readonly failures: string[] = [];
  readonly times: number[] = [];
  calls = 0;
  streams = 0;
  private isOver = false;

  constructor(private readonly options: LoadOptions) {
    this.history = emptyHistory(options.notices);
  }

  end(): void {
    this.isOver = true;
  }

  async run(callers: number): Promise<void> {
    await Promise.all(Array.from({ length: callers }, (_unused, at) => this.caller(WAYS[at % WAYS.length] ?? 'asks')));
  }

  private async caller(way: (typeof WAYS)[number]): Promise<void> {
    const { random, hook } = this.options;
    while (!this.isOver) {
      const plan = { steps: random.between(1, 4), pauseMs: random.between(20, 250), asks: false };
      const order: Order = { messageId: randomUUID(), skillId: 'steps', plan, hook, isRead: way === 'reads' };
      this.history.orders.push(order);
      await (way === 'reads' ? this.read(order) : this.send(order, way === 'asks'));
      await pause(100);
    }
  }

  private async send(order: Order, returnImmediately: boolean): Promise<void> {
    const task = (await this.call('SendMessage', paramsOf(order, returnImmediately)))?.task as
      { id: string } | undefined;
    if (task === undefined) return;
    this.history.accepted.set(order.messageId, new Set([task.id]));
    await this.call('GetTask', { id: task.id });
  }

  /** A stream may end because its process leaves; then the reader comes back and misses nothing. */
  private async read(order: Order): Promise<void> {
    const { url, random } = this.options;
    const reader = new Reader(() => [url], random, { beginning: paramsOf(order) });
    this.history.readings.push(reader);
    this.streams += 1;
    await reader.run();
    if (reader.taskId !== undefined) this.history.accepted.set(order.messageId, new Set([reader.taskId]));
    this.failures.push(...reader.faults);
  }

  private async call(method: string, params: unknown): Promise<Record<string, unknown> | undefined> {
    const { result, lost, error, status, ms } = await call(this.options.url, method, params, 30_000);
    this.calls += 1;
    this.times.push(ms);
    if (result === undefined) this.failures.push(`${method}: ${status} ${lost ?? error?.message ?? ''}`);
    return result;
  }
}
