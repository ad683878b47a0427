import { Logger } from '@nestjs/common';
import type { WaitingRun } from '../../tasks/store/fair-queue.js';
import { type ClaimedRun, RunStore } from '../../tasks/commit/run.store.js';
import { RunSlots } from './run-slots.js';

/** A suspect that lives longer than its lost run did is not the culprit; between these bounds. */
const MIN_PROOF_MS = 3_000;
const MAX_PROOF_MS = 20_000;
/** A suspect waits for the ends of the runs beside it, the longer the more often it was lost: 10 s, 20 s … */
const WAIT_MS = 2_500;
const MAX_WAIT_MS = 80_000;

/** The place of a suspect: until it is given back, no other run begins here. */
export interface SuspectPlace {
  /** Whether no other run is here. */
  readonly isAlone: boolean;
  /** Resolves when the skill of its run may begin, at once after an abort. Never rejects. */
  ready(run: ClaimedRun, stopped: AbortSignal): Promise<void>;
  /** At the end of the run, or when its claim has failed. */
  leave(): void;
}

/**
 * The suspect of this process. A process that dies loses all of its runs, and one of them is the culprit. The last
 * attempt of each is alone in its process until it has outlived its lost run: only a loss until then is its own fault
 * (I17, decision 0085).
 */
export class SuspectRun {
  private readonly log = new Logger(SuspectRun.name);
  private place: SuspectPlace | undefined;
  private mayBeginAt = 0;

  /** @param onFree other runs may begin again */
  constructor(
    private readonly slots: RunSlots,
    private readonly store: RunStore,
    private readonly onFree: () => void,
  ) {}

  /** The next runs that may begin here now: one suspect, or runs that are not suspects. */
  choose(next: readonly WaitingRun[]): readonly WaitingRun[] {
    const mayBegin = this.place === undefined && Date.now() >= this.mayBeginAt;
    const suspect = mayBegin ? next.find(({ isSuspect }) => isSuspect) : undefined;
    return suspect === undefined ? next.filter(({ isSuspect }) => !isSuspect) : [suspect];
  }

  /** Takes the place for a suspect that has a slot, before its claim. */
  take(): SuspectPlace {
    const since = Date.now();
    const isAlone = this.isAlone;
    let isHeld = true;
    this.slots.hold(true);
    const free = (): void => {
      if (!isHeld) return;
      isHeld = false;
      // Runs of others have half of the time.
      this.mayBeginAt = 2 * Date.now() - since;
      this.slots.hold(false);
      this.onFree();
    };
    const give = (): void => {
      if (this.place === place) this.place = undefined;
      free();
    };
    const ended = new AbortController();
    const place: SuspectPlace = {
      isAlone,
      ready: async (run, stopped) => {
        const wait = Math.min(WAIT_MS * 2 ** (run.losses ?? 0), MAX_WAIT_MS);
        const becameAlone = !isAlone && (await this.slots.oneWithin(wait, stopped));
        const isCharged = isAlone || becameAlone;
        if (!isCharged) free();
        if (becameAlone) await this.note(run, `${String(run.fence)} ${String(run.suspectMs ?? 0)}`);
        const proofMs = Math.min(Math.max(run.suspectMs ?? 0, MIN_PROOF_MS), MAX_PROOF_MS);
        const proven = setTimeout(() => void (isCharged ? this.note(run, '').then(give) : give()), proofMs);
        ended.signal.addEventListener('abort', () => {
          clearTimeout(proven);
        });
      },
      leave: () => {
        ended.abort();
        give();
      },
    };
    this.place = place;
    return place;
  }

  private get isAlone(): boolean {
    return this.slots.hasOne;
  }

  /** Whether the loss of its run is charged: '' once it is proven. */
  private async note(run: ClaimedRun, value: string): Promise<void> {
    await this.store.notebook.noteSuspect(run, value).catch((error: unknown) => {
      this.log.debug({ event: 'run.suspect-not-noted', taskId: run.taskId, reason: String(error) });
    });
  }
}
