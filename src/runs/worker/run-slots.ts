import type { SkillOptions } from '@parley/sdk/skill/skill.js';

/** A slot held by a run. Repeated calls have no effect. */
export interface Slot {
  /** The skill has ended and only its last commit is in progress: another run may begin here. */
  pass(): void;
  /**
   * The run ends before the code of its skill, which shares the process until it ends. Before `release`.
   */
  readonly linger: (codeEnds: Promise<unknown>) => void;
  /** The run has ended completely. */
  release(): void;
}

/** After this time the code of a stopped run counts as idle. */
const LINGERS_MS = 120_000;

/**
 * The slots for runs in this process, limited per process and per skill with `concurrency`. A slot is acquired before
 * its run is claimed, so that no claimed run waits with a task or a lease.
 */
export class RunSlots {
  private readonly limits = new Map<string, number>();
  private readonly bySkill = new Map<string, number>();
  /** Slots in which no other run may begin. */
  private taken = 0;
  private holding = 0;
  private lingering = 0;
  private isClosed = false;
  private isHeld = false;
  /** Called at the end of each run, and of the code of a stopped one. */
  private readonly onRelease = new Set<() => void>();
  private readonly onFull = new Set<() => void>();

  /**
   * @param count concurrent runs
   * @param skills skills of this process; a limited one has a maximum (`SkillOptions.concurrency`)
   */
  constructor(
    readonly count: number,
    private readonly skills: readonly Pick<SkillOptions, 'id' | 'concurrency'>[],
  ) {
    for (const { id, concurrency } of skills) if (concurrency !== undefined) this.limits.set(id, concurrency);
  }

  /** Number of free slots; 0 during shutdown and while a suspect begins. */
  get free(): number {
    return this.isClosed || this.isHeld ? 0 : Math.max(0, this.count - this.taken);
  }

  /** The skills of which another run may begin; 'all' when none is full, including unknown ones. */
  get openSkills(): readonly string[] | 'all' {
    const open = this.skills.filter(({ id }) => this.hasRoom(id));
    return open.length === this.skills.length ? 'all' : open.map(({ id }) => id);
  }

  /** Acquires a slot, or returns undefined if none is free. */
  take(skillId: string): Slot | undefined {
    if (this.free === 0 || !this.hasRoom(skillId)) return undefined;
    this.add(skillId, 1);
    this.holding += 1;
    let [isTaken, isHeld] = [true, true];
    const pass = (): void => {
      if (isTaken) this.add(skillId, -1);
      isTaken = false;
    };
    const release = (): void => {
      pass();
      if (isHeld) this.holding -= 1;
      isHeld = false;
      this.released();
    };
    return { pass, linger: this.linger, release };
  }

  /** Whether one run alone shares the process: no other holds a slot, and the code of every stopped one has ended. */
  get hasOne(): boolean {
    return this.holding + this.lingering <= 1;
  }

  /** Resolves with true when one run alone shares the process, or with false after `ms` or an abort. */
  oneWithin(ms: number, signal: AbortSignal): Promise<boolean> {
    return this.until(() => this.hasOne, ms, signal);
  }

  /** Resolves with true when no run holds a slot, passed-on ones included, or with false after `ms`. */
  emptyWithin(ms: number): Promise<boolean> {
    return this.until(() => this.holding === 0, ms);
  }

  private async until(isSo: () => boolean, ms: number, signal?: AbortSignal): Promise<boolean> {
    if (!isSo() && signal?.aborted !== true) {
      await new Promise<void>((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          this.onRelease.delete(check);
          signal?.removeEventListener('abort', done);
          resolve();
        };
        const check = (): void => {
          if (isSo()) done();
        };
        const timer = setTimeout(done, ms);
        this.onRelease.add(check);
        signal?.addEventListener('abort', done);
      });
    }
    return isSo();
  }

  private readonly linger = (codeEnds: Promise<unknown>): void => {
    this.lingering += 1;
    let isLingering = true;
    const end = (): void => {
      if (isLingering) this.lingering -= 1;
      isLingering = false;
      clearTimeout(late);
      this.released();
    };
    const late = setTimeout(end, LINGERS_MS).unref();
    codeEnds.then(end, end);
  };

  private released(): void {
    for (const release of this.onRelease) release();
  }

  /** Gives no slots until it is called with false. */
  hold(isHeld: boolean): void {
    this.isHeld = isHeld;
    this.changed();
  }

  /** Refuses new slots from now on. */
  close(): void {
    this.isClosed = true;
    this.changed();
  }

  /** Calls back whenever no slot is left: a run that only waits gives its own up (I11). */
  whenFull(giveUp: () => void): () => void {
    this.onFull.add(giveUp);
    return () => this.onFull.delete(giveUp);
  }

  private changed(): void {
    if (this.free === 0) for (const giveUp of this.onFull) giveUp();
  }

  /** Whether runs of the skill may wait although slots are free. */
  isLimited(skillId: string): boolean {
    return this.limits.has(skillId);
  }

  private hasRoom(skillId: string): boolean {
    const limit = this.limits.get(skillId);
    return limit === undefined || (this.bySkill.get(skillId) ?? 0) < limit;
  }

  private add(skillId: string, by: 1 | -1): void {
    this.taken += by;
    if (this.limits.has(skillId)) this.bySkill.set(skillId, (this.bySkill.get(skillId) ?? 0) + by);
    this.changed();
  }
}
