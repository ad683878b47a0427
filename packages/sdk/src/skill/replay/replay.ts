import { described, Journal, JournalMismatch, type JournalResult, restored } from './journal.js';
import { StallWatch } from './stall-watch.js';
import type { Answer, NewWait, OpenWait, Pending, Ready, Recall, ReplayHost } from './replay-host.js';

/**
 * Runs a turn along its journal. Calls are numbered as the skill makes them, and results as it gets them: one in each
 * turn of the event loop, in their first order relative to the events of the skill. So parallel branches continue in
 * the same order in every run. Answers journaled calls from the journal; makes the others afterwards.
 */
export class Replay {
  private readonly replayed;
  private readonly pending = new Map<number, Pending>();
  private readonly waits = new Map<number, OpenWait>();
  /** Calls that are made when the run reaches the point where the previous one stopped. */
  private readonly unstarted = new Map<number, () => void>();
  private readonly ready: Ready[] = [];
  private asked = 0;
  private given = 0;
  private working = 0;
  private pulls = 0;
  private isPulled = false;
  private isHeld = false;
  private isOver = false;
  private isRecalling = false;
  /** Grows with everything that happens. */
  private activity = 0;
  private tick: NodeJS.Immediate | undefined;
  private isChecking = false;
  private mayPull: (() => void) | undefined;
  private freed: (() => void) | undefined;
  private readonly stall = new StallWatch(() => {
    const call = this.journal.result(this.given)?.call ?? 0;
    void this.mismatch(call, this.journal.call(call)?.what ?? 'nothing', 'nothing');
  });

  /** @param idleMs how long nothing may happen before the skill is idle; 0: two turns of the event loop */
  constructor(
    private readonly host: ReplayHost,
    readonly journal = new Journal(),
    private readonly idleMs = 0,
  ) {
    this.replayed = journal.lengths;
    this.watch();
  }

  /** Whether the skill can continue only when a wait ends. */
  get isIdle(): boolean {
    const isWaiting = this.waits.size > 0 && this.isPulled && this.working === 0 && this.ready.length === 0;
    return isWaiting && this.tick === undefined && !this.isReplaying && !this.isRecalling && !this.isOver;
  }

  /** The waits that are open, in the order of their calls. */
  get openWaits(): readonly OpenWait[] {
    return this.isReplaying ? [] : [...this.waits.values()];
  }

  /** The number of the next call. */
  get position(): number {
    return this.asked;
  }

  /** How many events the skill has been asked for. */
  get pullCount(): number {
    return this.pulls;
  }

  /** Whether the run still repeats an earlier one. */
  get isReplaying(): boolean {
    return this.given < this.replayed.results;
  }

  /** A call with an answer at once. */
  instant(what: string, make: () => unknown): Promise<unknown> {
    const number = this.next();
    const recorded = this.journal.call(number);
    if (recorded !== undefined && recorded.what !== what) return this.mismatch(number, recorded.what, what);
    if (recorded !== undefined) return Promise.resolve(recorded.value);
    const value = make();
    this.journal.addCall({ what, value });
    return Promise.resolve(value);
  }

  /**
   * A call that does some work.
   * @param work is given the number of the call
   * @param recall restores the value of its journaled answer
   */
  ask(what: string, work: (call: number) => Promise<Answer>, recall: Recall): Promise<unknown> {
    return this.call({ what }, recall, (call) => {
      this.working += 1;
      work(call)
        .then(
          (answer) => this.ready.push({ ...answer, call }),
          (error: unknown) => this.ready.push({ call, error }),
        )
        .finally(() => {
          this.working -= 1;
          this.pump();
        });
    });
  }

  /** A call that waits until its host gives an answer. */
  wait({ what, until, signal, isForChildren = false, question, begin }: NewWait, recall: Recall): Promise<unknown> {
    return this.call({ what, until }, recall, (number) => {
      const since = this.journal.call(number)?.until ?? until ?? Infinity;
      this.waits.set(number, { number, until: since, signal, isForChildren, question });
      begin?.(number);
      this.host.opened();
    });
  }

  /** The skill is not idle while this is done for it. */
  during(work: Promise<void>): void {
    this.working += 1;
    void work.finally(() => {
      this.working -= 1;
      this.pump();
    });
  }

  /** Ends a wait with an answer. */
  give(number: number, answer: Answer): void {
    if (!this.waits.delete(number)) return;
    this.ready.push({ ...answer, call: number });
    this.pump();
  }

  /** To be called before the skill is asked for its next event. Returns a promise where it must get results first. */
  beforePull(): Promise<void> | undefined {
    if (!this.isBehind) {
      this.pulled();
      return undefined;
    }
    return new Promise((resolve) => {
      this.mayPull = () => {
        this.pulled();
        resolve();
      };
    });
  }

  /** To be called when the skill has given an event. Returns a promise while the run may be parked. */
  afterPull(): Promise<void> | undefined {
    this.isPulled = false;
    this.activity += 1;
    if (!this.isHeld) return undefined;
    return new Promise((resolve) => {
      this.freed = resolve;
    });
  }

  /** Entry recorded beyond the end of the turn, which comes too early then. */
  get leftOver(): JournalMismatch | undefined {
    const recorded = this.journal.call(this.asked)?.what;
    if (recorded === undefined || this.asked >= this.replayed.calls) return undefined;
    return new JournalMismatch(this.asked + 1, recorded, 'the end of the turn');
  }

  /** Pauses the skill until `free`. */
  hold(): void {
    this.isHeld = true;
  }

  free(): void {
    this.isHeld = false;
    this.freed?.();
    this.pump();
  }

  /** Stops the skill for good: calls get no answer. */
  close(): void {
    this.isOver = true;
    this.stall.stop();
    clearImmediate(this.tick);
  }

  private next(): number {
    this.activity += 1;
    return this.asked++;
  }

  private call(
    { what, until }: { readonly what: string; readonly until?: number | undefined },
    recall: Recall,
    start: (number: number) => void,
  ): Promise<unknown> {
    if (this.isOver) return new Promise(() => undefined);
    const number = this.next();
    const recorded = this.journal.call(number);
    if (recorded !== undefined && recorded.what !== what) return this.mismatch(number, recorded.what, what);
    if (recorded === undefined) this.journal.addCall(until === undefined ? { what } : { what, until });
    return new Promise((resolve, reject) => {
      this.pending.set(number, { resolve, reject, recall });
      if (this.isReplaying) this.unstarted.set(number, () => start(number));
      else start(number);
      this.pump();
    });
  }

  private mismatch(number: number, recorded: string, asked: string): Promise<never> {
    this.close();
    this.host.broke(new JournalMismatch(number + 1, recorded, asked));
    return new Promise(() => undefined);
  }

  private pulled(): void {
    this.mayPull = undefined;
    this.pulls += 1;
    this.isPulled = true;
    this.activity += 1;
    this.pump();
  }

  /** Whether the journal has a result that the skill got before it was asked for its next event. */
  private get isBehind(): boolean {
    if (this.isRecalling) return true;
    const next = this.isReplaying ? this.journal.result(this.given) : undefined;
    return next !== undefined && next.pulls <= this.pulls;
  }

  /** Passes on one result at most; the next one in another turn of the event loop. */
  private pump(): void {
    if (this.isOver || this.isHeld || this.isRecalling || this.tick !== undefined) return;
    if (this.isReplaying) this.replayNext();
    else this.passNext();
  }

  private replayNext(): void {
    const result = this.journal.result(this.given);
    if (result === undefined || this.pulls < result.pulls) return;
    const pending = this.take(result.call);
    if (pending === undefined) return;
    this.unstarted.delete(result.call);
    this.watch();
    const value = result.error === undefined ? pending.recall(result.json) : undefined;
    if (result.error !== undefined) pending.reject(restored(result.error));
    else if (value instanceof Promise) this.recalling(value, pending);
    else pending.resolve(value);
    this.caughtUp();
  }

  /** The next result waits for this one, as it did the first time. */
  private recalling(value: Promise<unknown>, pending: Pending): void {
    this.isRecalling = true;
    value.then(pending.resolve, pending.reject).finally(() => {
      this.isRecalling = false;
      this.passOn();
      this.caughtUp();
    });
  }

  private caughtUp(): void {
    if (this.isRecalling || this.isReplaying) return;
    for (const start of this.unstarted.values()) start();
    this.unstarted.clear();
  }

  private passNext(): void {
    const next = this.ready.shift();
    if (next === undefined) {
      this.checkIdle();
      return;
    }
    const pending = this.take(next.call);
    const { call, json } = next;
    const isError = 'error' in next;
    const kept: JournalResult = { call, pulls: this.pulls, ...(json === undefined ? {} : { json }) };
    this.journal.addResult(isError ? { ...kept, error: described(next.error) } : kept);
    if (isError) pending?.reject(next.error);
    else pending?.resolve(next.value);
  }

  private take(call: number): Pending | undefined {
    const pending = this.pending.get(call);
    if (pending === undefined) return undefined;
    this.pending.delete(call);
    this.given += 1;
    this.passOn();
    return pending;
  }

  /** The skill's reaction to the result comes first. */
  private passOn(): void {
    this.activity += 1;
    this.tick ??= setImmediate(() => {
      this.tick = undefined;
      if (this.isRecalling) return;
      if (!this.isBehind) this.mayPull?.();
      this.pump();
    });
  }

  private checkIdle(): void {
    if (this.isChecking || !this.isIdle) return;
    this.isChecking = true;
    const { activity } = this;
    const check = (): void => {
      this.isChecking = false;
      if (activity === this.activity && this.isIdle && !this.isHeld) this.host.idle();
      else this.pump();
    };
    if (this.idleMs > 0) setTimeout(check, this.idleMs);
    else setImmediate(() => setImmediate(check));
  }

  private watch(): void {
    if (this.isReplaying) this.stall.restart();
    else this.stall.stop();
  }
}
