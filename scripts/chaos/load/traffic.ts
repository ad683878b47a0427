import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { call, insist, type Order, paramsOf } from './caller.js';
import type { Fleet } from '../fleet/fleet.js';
import { isEnd, isTerminalState } from './history.js';
import type { Random } from './random.js';
import { Reader } from './reader.js';
import type { ChaosReceiver } from '../webhook/receivers.js';

/** A task is fetched this long after it was sent, and again until it has ended. */
const LOOK_AFTER_MS = 8_000;
const LOOKS = 8;
/** Callers of the trial that finds the fleet's capacity. */
const TRIAL = { callers: 150, ms: 10_000 };

type Kind = 'send' | 'wait' | 'stream' | 'hook' | 'cancel' | 'list' | 'nap';
/** Of a hundred calls. */
const MIX: readonly (readonly [Kind, number])[] = [
  ...([
    ['send', 40],
    ['wait', 15],
    ['stream', 10],
    ['hook', 10],
    ['cancel', 10],
    ['list', 10],
    ['nap', 5],
  ] as const),
];

/** Callers of all kinds at a steady rate, each of which follows its task to its end. */
export class Traffic {
  readonly faults: string[] = [];
  readonly done = new Map<Kind, number>();
  failures = 0;
  lost = 0;
  calls = 0;
  private readonly under = new Set<Promise<void>>();
  /** Tasks with a webhook whose end has not come there. */
  private readonly unheard = new Set<string>();
  private readonly heard = new Set<string>();

  constructor(
    private readonly fleet: Fleet,
    private readonly random: Random,
    private readonly receiver: ChaosReceiver,
  ) {
    receiver.onArrival = ({ taskId, body }) => {
      // Its log for the checker would be the only growth here.
      receiver.arrivals.length = 0;
      if (!isEnd(body)) return;
      if (!this.unheard.delete(taskId)) this.heard.add(taskId);
    };
  }

  /** Calls a second that the fleet answers when callers do not wait. */
  async trial(): Promise<number> {
    const until = Date.now() + TRIAL.ms;
    let answered = 0;
    const caller = async (): Promise<void> => {
      while (Date.now() < until) {
        await this.one(this.pick());
        answered += 1;
      }
    };
    await Promise.all(Array.from({ length: TRIAL.callers }, caller));
    await this.settled();
    return (answered * 1000) / TRIAL.ms;
  }

  async run(perSecond: number, ms: number): Promise<void> {
    const began = Date.now();
    for (let sent = 0; Date.now() - began < ms;) {
      const due = Math.floor(((Date.now() - began) / 1000) * perSecond);
      for (; sent < due; sent += 1) this.begin(this.one(this.pick()));
      await pause(20);
    }
  }

  /** Resolves when all begun tasks have ended, or were given up. */
  async settled(): Promise<void> {
    while (this.under.size > 0) await Promise.all(this.under);
    for (let looks = 0; this.unheard.size > 0 && looks < 60; looks += 1) await pause(1_000);
  }

  get unnoticed(): number {
    return this.unheard.size;
  }

  inWords(): string {
    return `${String(this.calls)} calls, ${String(this.lost)} lost, ${String(this.failures)} failed, ${String(this.under.size)} under way`;
  }

  private begin(work: Promise<void>): void {
    const entry = work.finally(() => this.under.delete(entry));
    this.under.add(entry);
  }

  private pick(): Kind {
    let at = this.random.between(1, 100);
    for (const [kind, share] of MIX) {
      at -= share;
      if (at <= 0) return kind;
    }
    return 'send';
  }

  private async one(kind: Kind): Promise<void> {
    this.calls += 1;
    this.done.set(kind, (this.done.get(kind) ?? 0) + 1);
    const replicas = (): readonly string[] => this.fleet.apis;
    if (kind === 'list') {
      const { result } = await insist(replicas, 'ListTasks', { pageSize: 20 });
      if (result === undefined) this.failures += 1;
      return;
    }
    const plan = { steps: this.random.between(0, 3), pauseMs: this.random.between(60, 150), asks: false };
    const skillId = kind === 'nap' ? 'naps' : 'steps';
    const hook = kind === 'hook' ? { hook: this.receiver.origin } : {};
    const order: Order = { messageId: randomUUID(), skillId, plan, ...hook };
    if (kind === 'stream') {
      const reader = new Reader(replicas, this.random, { beginning: paramsOf(order) });
      await reader.run();
      if (reader.faults.length > 0) this.fail(`a stream: ${reader.faults[0] ?? ''}`);
      return;
    }
    const { result } = await insist(replicas, 'SendMessage', paramsOf(order, kind !== 'wait'));
    const id = result?.task?.id;
    if (id === undefined) {
      this.failures += 1;
      return;
    }
    if (kind === 'hook' && !this.heard.delete(id)) this.unheard.add(id);
    if (kind === 'cancel') await call(replicas()[0] ?? '', 'CancelTask', { id });
    this.begin(this.follow(id));
  }

  /** An accepted task ends, and can be read until it is removed. */
  private async follow(id: string): Promise<void> {
    let state = '';
    for (let looks = 0; looks < LOOKS; looks += 1) {
      await pause(LOOK_AFTER_MS);
      const { result } = await insist(() => this.fleet.apis, 'GetTask', { id });
      state = (result as { status?: { state?: string } } | undefined)?.status?.state ?? 'gone';
      if (isTerminalState(state) || state === 'gone') break;
    }
    if (state === 'TASK_STATE_COMPLETED' || state === 'TASK_STATE_CANCELED') return;
    this.lost += 1;
    this.fail(`${id} is ${state}`);
  }

  private fail(fault: string): void {
    if (this.faults.length < 5) this.faults.push(fault);
  }
}
