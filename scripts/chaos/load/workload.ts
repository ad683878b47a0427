import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { call, countOf, idsOf, insist, type Order, paramsOf, type Replicas } from './caller.js';
import { emptyHistory, type History, isEnd } from './history.js';
import type { Random } from './random.js';
import { Reader } from './reader.js';
import type { ChaosReceiver } from '../webhook/receivers.js';

export interface WorkloadOptions {
  readonly tasks: number;
  /** 'steps' unless other skills do the same by other means; of several each task has one, by chance. */
  readonly skillIds?: readonly ('steps' | 'naps' | 'toil')[];
  /** Callers that send one message after the other. */
  readonly callers: number;
  readonly canceledShare: number;
  readonly askingShare: number;
  /** Of those that are neither canceled nor asked anything: begun by a stream, which is read to its end. */
  readonly readShare: number;
  readonly steps: readonly [number, number];
  readonly pauseMs: readonly [number, number];
  /** Further orders, sent in the middle of the others. */
  readonly among?: readonly Order[];
  /** How many tasks have a webhook, and where it is. */
  readonly hooked?: { readonly share: number; readonly receiver: ChaosReceiver };
}

const TO_REST = ['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING', 'TASK_STATE_INPUT_REQUIRED'] as const;
const LOOK_EVERY_MS = 250;
/** A dispatcher that dies keeps its claim on a webhook for 25 s; readers come back within seconds. */
const LAST_WORDS_MS = 60_000;

/** Callers of a number of tasks of random length, which cancel some, read some and answer their questions. */
export class Workload {
  readonly history: History;
  private readonly readers: Promise<void>[] = [];
  private next = 0;
  private isDone = false;

  constructor(
    private readonly options: WorkloadOptions,
    private readonly replicas: Replicas,
    private readonly random: Random,
  ) {
    this.history = emptyHistory(options.hooked?.receiver.arrivals);
  }

  /** Sends its tasks, as often as it is called. Resolves when each has ended and its readers have heard of it. */
  async run(timeoutMs: number): Promise<void> {
    this.isDone = false;
    const { tasks, among = [] } = this.options;
    const orders = Array.from({ length: tasks }, () => this.anOrder());
    orders.splice(Math.floor(tasks / 2), 0, ...among);
    this.next = this.history.orders.length;
    this.history.orders.push(...orders);
    const answering = this.answerQuestions();
    await Promise.all(Array.from({ length: this.options.callers }, () => this.sendAll()));
    try {
      await this.atRest(Date.now() + timeoutMs);
      // Readers that have not heard of the end by then are left to the checker.
      await Promise.race([
        Promise.all([...this.readers, this.allNoticed()]),
        pause(LAST_WORDS_MS, undefined, { ref: false }),
      ]);
    } finally {
      this.isDone = true;
      await answering;
    }
  }

  private anOrder(): Order {
    const { skillIds = ['steps'], steps, pauseMs, askingShare, canceledShare, readShare, hooked } = this.options;
    const plan = {
      steps: this.random.between(...steps),
      pauseMs: this.random.between(...pauseMs),
      asks: this.random.chance(askingShare),
    };
    const skillId = this.random.pick(skillIds) ?? 'steps';
    const isCanceled = this.random.chance(canceledShare);
    const isRead = this.random.chance(readShare) && !isCanceled && !plan.asks;
    return {
      ...{ messageId: randomUUID(), skillId, plan, isRead },
      ...(isCanceled ? { canceledAfterMs: this.random.between(0, 300) } : {}),
      ...(hooked !== undefined && this.random.chance(hooked.share) ? { hook: hooked.receiver.origin } : {}),
    };
  }

  private async sendAll(): Promise<void> {
    for (let order = this.history.orders[this.next++]; order !== undefined; order = this.history.orders[this.next++]) {
      if (order.isRead === true) await this.read(order);
      else await this.send(order);
    }
  }

  private async send(order: Order): Promise<void> {
    const { result, error, tries } = await insist(this.replicas, 'SendMessage', paramsOf(order));
    this.history.tries += tries;
    const id = result?.task?.id;
    if (id === undefined) {
      this.history.refusals.push(`SendMessage: ${error?.message ?? 'no task in the answer'}`);
      return;
    }
    this.history.accepted.set(order.messageId, (this.history.accepted.get(order.messageId) ?? new Set()).add(id));
    if (order.canceledAfterMs !== undefined) void this.cancel(id, order.canceledAfterMs);
  }

  /** Resolves when the stream has begun; it is read while others are sent. */
  private async read(order: Order): Promise<void> {
    const reader = new Reader(this.replicas, this.random, { beginning: paramsOf(order) });
    this.history.readings.push(reader);
    this.readers.push(reader.run());
    this.history.accepted.set(order.messageId, new Set([await reader.begun]));
  }

  private async cancel(id: string, afterMs: number): Promise<void> {
    await pause(afterMs);
    const url = this.random.pick(this.replicas());
    if (url === undefined) return;
    const { result } = await call(url, 'CancelTask', { id }, 15_000);
    const state = (result as { status?: { state?: string } } | undefined)?.status?.state;
    if (state === 'TASK_STATE_CANCELED') this.history.canceled.add(id);
  }

  /** Two answers at once to every question: one begins the turn, the other is queued or comes too late. */
  private async answerQuestions(): Promise<void> {
    while (!this.isDone) {
      const waiting = await idsOf(this.replicas, 'TASK_STATE_INPUT_REQUIRED');
      const unanswered = waiting.filter((id) => !this.history.answered.has(id));
      for (const id of unanswered) this.history.answered.set(id, new Set());
      await Promise.all(unanswered.flatMap((id) => [this.answer(id), this.answer(id)]));
      await pause(LOOK_EVERY_MS);
    }
  }

  private async answer(taskId: string): Promise<void> {
    const message = { messageId: randomUUID(), taskId, role: 'ROLE_USER', parts: [{ text: 'yes' }] };
    const params = { message, configuration: { returnImmediately: true } };
    const { result } = await insist(this.replicas, 'SendMessage', params);
    if (result?.task !== undefined) this.history.answered.get(taskId)?.add(message.messageId);
  }

  private async atRest(deadline: number): Promise<void> {
    for (;;) {
      const counts = await Promise.all(TO_REST.map((state) => countOf(this.replicas, state)));
      if (counts.every((count) => count === 0)) return;
      if (Date.now() > deadline)
        throw new Error(`Tasks did not come to rest: ${counts.join(' ')} (${TO_REST.join(' ')})`);
      await pause(LOOK_EVERY_MS);
    }
  }

  private async allNoticed(): Promise<void> {
    const hooked = this.history.orders.filter(({ hook }) => hook !== undefined).length;
    const ended = new Set<string>();
    let seen = 0;
    while (ended.size < hooked && !this.isDone) {
      for (const notice of this.history.notices.slice(seen)) if (isEnd(notice.body)) ended.add(notice.taskId);
      seen = this.history.notices.length;
      await pause(LOOK_EVERY_MS);
    }
  }
}
