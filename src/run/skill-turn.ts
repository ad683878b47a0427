import type { SkillEvent } from '../skill/events.js';
import type { SkillContext, SkillHandler } from '../skill/skill.js';
import type { ClaimedRun, CommitOutcome, RunStore } from '../task/run.store.js';
import type { StopReason } from './active-runs.js';
import { RunLost } from './run-context.js';
import { RunWriter } from './run-writer.js';
import { SkillWrites } from './skill-writes.js';

/** How the skill's turn came out. */
export type TurnResult =
  | { readonly kind: 'committed'; readonly seq: number }
  | { readonly kind: 'next-turn'; readonly fence: number; readonly place: number }
  | { readonly kind: 'stopped'; readonly reason: StopReason }
  | { readonly kind: 'threw'; readonly error: unknown };

/** One skill's turn on one claimed task: pulls events from the skill, commits them, and stops it when it has to. */
export class SkillTurn {
  private readonly writes: SkillWrites;
  private readonly writer: RunWriter;
  private controller: AbortController | undefined;
  private stopReason: StopReason | undefined;
  private onStop: ((reason: StopReason) => void) | undefined;
  /** The skill has said all it has to say, and was not stopped before that. */
  private hasEnded = false;

  constructor(
    private readonly claimed: ClaimedRun,
    store: RunStore,
    /** How long a canceled skill may take to end by itself. */
    private readonly graceMs: number,
  ) {
    this.writes = new SkillWrites(claimed.taskId, claimed.contextId);
    this.writer = new RunWriter(store, claimed, claimed.seq, ({ kind }) => {
      if (kind === 'too-large') this.stop('too-large');
    });
  }

  /** Created on first access: most skills never use it. */
  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      if (this.stopReason !== undefined) this.controller.abort(abortError(this.stopReason));
    }
    return this.controller.signal;
  }

  readonly stop = (reason: StopReason): void => {
    if (this.stopReason !== undefined) return;
    this.stopReason = reason;
    this.onStop?.(reason);
    this.controller?.abort(abortError(reason));
  };

  /** Says that the task is worked on, where it does not say so already; together with what the skill yields at once. */
  begin(): void {
    if (!this.claimed.isWorking) void this.writer.write({ kind: 'status', state: 'TASK_STATE_WORKING' });
  }

  /**
   * Runs the skill to the end of its turn, or until it is stopped and its grace is over. A skill that returns because it
   * was stopped has not completed its task; one that had ended before the stop has, once its last event is committed.
   */
  run(handler: SkillHandler, context: SkillContext): Promise<TurnResult> {
    return new Promise((resolve, reject) => {
      this.drive(handler, context).then((result) => {
        const reason = this.hasEnded ? undefined : this.stopReason;
        resolve(reason === undefined ? result : { kind: 'stopped', reason });
      }, reject);
      this.onStop = (reason) => {
        if (this.hasEnded) return;
        setTimeout(resolve, reason === 'canceled' ? this.graceMs : 0, { kind: 'stopped', reason }).unref();
      };
      if (this.stopReason !== undefined) this.onStop(this.stopReason);
    });
  }

  /** Fails the task with a text for its caller. */
  async fail(text: string): Promise<TurnResult> {
    this.writer.dropRefused();
    await this.writer.write(this.writes.verdict('TASK_STATE_FAILED', text));
    return this.result(await this.writer.settled());
  }

  private async drive(handler: SkillHandler, context: SkillContext): Promise<TurnResult> {
    try {
      const end = await this.pull(handler.run(context));
      if (end === 'returned') await this.writer.write(this.writes.verdict('TASK_STATE_COMPLETED'));
      return this.result(await this.writer.settled());
    } catch (error) {
      if (error instanceof RunLost) return { kind: 'stopped', reason: 'lost' };
      // What was yielded before the error is part of the task: it is committed before anything follows from the error.
      const outcome = await this.writer.settled().catch(() => undefined);
      return outcome === undefined || outcome.kind === 'committed' ? { kind: 'threw', error } : this.result(outcome);
    }
  }

  /** How the skill came to its end: nothing that it yields after a status that ends the turn, or after a stop, is taken. */
  private async pull(events: AsyncGenerator<SkillEvent, void, void>): Promise<'returned' | 'said-so' | 'stopped'> {
    for await (const event of events) {
      if (this.stopReason !== undefined || this.writer.ending !== undefined) return 'stopped';
      this.hasEnded = event.kind === 'status' && event.state !== 'TASK_STATE_WORKING';
      const room = this.writer.write(this.writes.of(event));
      if (room !== undefined) await room;
      if (this.hasEnded) return 'said-so';
    }
    if (this.stopReason !== undefined) return 'stopped';
    this.hasEnded = true;
    return 'returned';
  }

  private result(outcome: CommitOutcome | undefined): TurnResult {
    switch (outcome?.kind) {
      case undefined:
        return { kind: 'committed', seq: 0 };
      case 'committed':
        return outcome;
      case 'next-turn':
        return outcome;
      case 'too-large':
        return { kind: 'stopped', reason: 'too-large' };
      case 'cancel':
        return { kind: 'stopped', reason: 'canceled' };
      case 'lost':
        return { kind: 'stopped', reason: 'lost' };
    }
  }
}

function abortError(reason: StopReason): DOMException {
  return new DOMException(`The run was stopped: ${reason}`, 'AbortError');
}
