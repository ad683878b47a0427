import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { call, countOf, idsOf, insist, type Order, paramsOf, type Replicas } from './caller.js';
import type { Random } from './random.js';

/** What callers have done and been told: all that the checker knows of them. */
export interface History {
  readonly orders: Order[];
  /** Task ids that a message was answered with; more than one is a fault. */
  readonly accepted: Map<string, Set<string>>;
  /** Tasks that a caller was told are canceled. */
  readonly canceled: Set<string>;
  /** Answers that were taken, by task: each begins one turn. */
  readonly answered: Map<string, number>;
  /** Calls that were answered by an error that the service should not have given. */
  readonly refusals: string[];
  tries: number;
}

export function emptyHistory(): History {
  return {
    ...{ orders: [], accepted: new Map(), canceled: new Set(), answered: new Map(), refusals: [], tries: 0 },
  };
}

export interface WorkloadOptions {
  readonly tasks: number;
  /** Callers that send one message after the other. */
  readonly callers: number;
  readonly canceledShare: number;
  readonly askingShare: number;
  readonly steps: readonly [number, number];
  readonly pauseMs: readonly [number, number];
}

const TO_REST = ['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING', 'TASK_STATE_INPUT_REQUIRED'] as const;
const LOOK_EVERY_MS = 250;

/** Callers of a random number of tasks of random length, who cancel some and answer what they are asked. */
export class Workload {
  readonly history = emptyHistory();
  private next = 0;
  private isDone = false;

  constructor(
    private readonly options: WorkloadOptions,
    private readonly replicas: Replicas,
    private readonly random: Random,
  ) {
    for (let made = 0; made < options.tasks; made += 1) this.history.orders.push(this.anOrder());
  }

  /** Resolves when every task has come to its end. */
  async run(timeoutMs: number): Promise<void> {
    const answering = this.answerQuestions();
    await Promise.all(Array.from({ length: this.options.callers }, () => this.sendAll()));
    try {
      await this.atRest(Date.now() + timeoutMs);
    } finally {
      this.isDone = true;
      await answering;
    }
  }

  private anOrder(): Order {
    const { steps, pauseMs, askingShare } = this.options;
    const plan = {
      steps: this.random.between(...steps),
      pauseMs: this.random.between(...pauseMs),
      asks: this.random.chance(askingShare),
    };
    return { messageId: randomUUID(), skillId: 'steps', plan };
  }

  private async sendAll(): Promise<void> {
    for (let order = this.history.orders[this.next++]; order !== undefined; order = this.history.orders[this.next++]) {
      await this.send(order);
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
    if (this.random.chance(this.options.canceledShare)) void this.cancel(id, this.random.between(0, 1000));
  }

  private async cancel(id: string, afterMs: number): Promise<void> {
    await pause(afterMs);
    const url = this.random.pick(this.replicas());
    if (url === undefined) return;
    const { result } = await call(url, 'CancelTask', { id }, 15_000);
    const state = (result as { status?: { state?: string } } | undefined)?.status?.state;
    if (state === 'TASK_STATE_CANCELED') this.history.canceled.add(id);
  }

  /** Two answers at once to every question: one begins the turn, the other stands in line or comes too late. */
  private async answerQuestions(): Promise<void> {
    while (!this.isDone) {
      const waiting = await idsOf(this.replicas, 'TASK_STATE_INPUT_REQUIRED');
      await Promise.all(waiting.map((id) => this.answer(id)));
      await pause(LOOK_EVERY_MS);
    }
  }

  private async answer(taskId: string): Promise<void> {
    if (this.history.answered.has(taskId)) return;
    const message = { messageId: randomUUID(), taskId, role: 'ROLE_USER', parts: [{ text: 'yes' }] };
    const params = { message, configuration: { returnImmediately: true } };
    const { result } = await insist(this.replicas, 'SendMessage', params);
    if (result?.task !== undefined) this.history.answered.set(taskId, (this.history.answered.get(taskId) ?? 0) + 1);
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
}
