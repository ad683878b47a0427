import { isInterrupted } from '@parley/protocol/model/task-state.js';
import type { ArtifactEvent, SkillEvent } from '@parley/sdk/skill/events.js';
import { JournalMismatch, TurnParked } from '@parley/sdk/skill/replay/journal.js';
import type { SkillContext, SkillHandler } from '@parley/sdk/skill/skill.js';
import type { TaskState } from '@parley/protocol/model/task-state.js';
import type { Committed } from '../../tasks/commit/run-outcomes.js';
import type { ClaimedRun, CommitOutcome, RunStore, TaskWrite, Wait } from '../../tasks/commit/run.store.js';
import { fault, type Said } from '../../tasks/store/sweep.store.js';
import type { CloudEvent } from '@parley/protocol/extension/cloud-event.js';
import type { Publication } from '@parley/sdk/skill/publication.js';
import { publishedText } from '../../tasks/publications/published-event.js';
import type { StopReason } from '../keeper/active-runs.js';
import { RunLost } from '../../tasks/record/run-lost.js';
import { RunWriter } from './run-writer.js';
import { shortened, SkillWrites } from './skill-writes.js';
import { TurnWaits, type WaitSources } from '../calls/turn-waits.js';

/** The outcome of a skill's turn. */
export type TurnResult =
  | Committed
  | { readonly kind: 'next-turn'; readonly fence: number; readonly position: number }
  /** The task waits without holding a run, slot or lease. */
  | { readonly kind: 'parked'; readonly hasAsked?: true }
  | { readonly kind: 'stopped'; readonly reason: StopReason }
  /** The task ends in this state without a further event of its run. */
  | { readonly kind: 'ends'; readonly state: TaskState; readonly said?: Said }
  | { readonly kind: 'threw'; readonly error: unknown };

/** The dependencies of a turn besides its run. */
export interface TurnOptions extends WaitSources {
  /** Called when the skill has ended by itself and its last commit is in progress. */
  readonly onEnd?: () => void;
}

/** One skill's turn on one claimed task: pulls events from the skill, commits them, and stops it if necessary. */
export class SkillTurn {
  private readonly writes: SkillWrites;
  private readonly writer: RunWriter;
  readonly waits: TurnWaits;
  private controller: AbortController | undefined;
  private stopReason: StopReason | undefined;
  private readonly onEnd: (() => void) | undefined;
  private onStop: ((reason: StopReason) => void) | undefined;
  /** Whether the skill ended by itself, before any stop. */
  private hasEnded = false;
  /** Events of earlier runs of the turn, which the skill yields again. */
  private repeated: number;
  private hasLeft = false;
  /** Whether its state is one of questions. */
  private isInterrupted = false;
  private settle: (result: TurnResult) => void = () => undefined;
  private code: Promise<unknown> | undefined;

  constructor(
    private readonly claimed: ClaimedRun,
    store: RunStore,
    /** Time for a canceled skill to end by itself. */
    private readonly graceMs: number,
    { onEnd, ...sources }: TurnOptions,
  ) {
    this.onEnd = onEnd;
    this.writes = new SkillWrites(claimed.taskId, claimed.contextId, claimed.isSimulated);
    this.repeated = claimed.repeats?.yielded ?? 0;
    const turn = {
      park: (wait: Wait) => this.writer.park(wait),
      flush: () => this.writer.schedule(),
      resumed: () => {
        this.resumed();
      },
      note: (event: string) => {
        this.put({ kind: 'note', event });
      },
      ended: (how: 'parked' | 'cancel' | 'lost') => this.leave(how === 'parked' ? this.parked() : stopped(how)),
      failed: (error: unknown) => this.leave({ kind: 'threw', error }),
    };
    this.waits = new TurnWaits(claimed, store, sources, turn);
    const onEnding = ({ kind }: CommitOutcome): void => {
      if (kind === 'too-large') this.stop('too-large');
    };
    this.writer = new RunWriter(store, claimed, claimed.seq, onEnding, this.waits);
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

  /** Sets the task to WORKING unless it is; committed together with the skill's first events. */
  begin(): void {
    const { isWorking, log } = this.claimed;
    // A run that only handles open questions changes nothing visible to callers.
    this.isInterrupted = isInterrupted(log.current.state);
    if (!isWorking && !this.isInterrupted) this.put(WORKING);
  }

  /** Publications of a lost run of the turn are stored, and not published again. */
  readonly publish = ({ type, data, subject }: Publication, number: number): void => {
    const { taskId, turn, published } = this.claimed;
    if (number <= published) return;
    const event: CloudEvent = {
      specversion: '1.0',
      id: `${taskId}:${String(turn)}.${String(number)}`,
      source: `/tasks/${taskId}`,
      type,
      ...(subject === undefined ? {} : { subject }),
      time: new Date(this.waits.clock).toISOString(),
      datacontenttype: 'application/json',
      ...(data === undefined ? {} : { data: JSON.parse(data) as unknown }),
    };
    this.put({ kind: 'publication', number, text: publishedText(this.claimed, event) });
  };

  /** Writes a piece of an artifact that the skill does not yield. A repeated run begins the artifact anew. */
  readonly live = (event: ArtifactEvent): void => {
    if (this.hasLeft || this.stopReason !== undefined) return;
    this.resumed();
    this.put(this.writes.pieceOf(event));
  };

  private resumed(): void {
    if (!this.isInterrupted) return;
    this.isInterrupted = false;
    this.put(WORKING);
  }

  /** Writes without waiting for room. The next write, and the end of the turn, throw the error of a failed commit. */
  private put(write: TaskWrite): void {
    this.writer.write(write)?.catch(() => undefined);
  }

  private parked(): TurnResult {
    return this.waits.hasAsked ? { kind: 'parked', hasAsked: true } : { kind: 'parked' };
  }

  /**
   * Runs the skill to the end of its turn, or until it is stopped and its grace period has expired. A skill that
   * returns because it was stopped has not completed its task; one that ended before the stop has, once its last event
   * is committed.
   */
  run(handler: SkillHandler, context: SkillContext): Promise<TurnResult> {
    return new Promise<TurnResult>((resolve, reject) => {
      this.settle = resolve;
      const driven = this.drive(handler, context).finally(() => {
        this.code = undefined;
      });
      this.code = driven;
      driven.then((result) => {
        const reason = this.hasEnded ? undefined : this.stopReason;
        resolve(reason === undefined ? result : { kind: 'stopped', reason });
      }, reject);
      this.onStop = (reason) => {
        if (this.hasEnded) return;
        setTimeout(resolve, reason === 'canceled' ? this.graceMs : 0, { kind: 'stopped', reason }).unref();
      };
      if (this.stopReason !== undefined) this.onStop(this.stopReason);
    }).finally(() => {
      this.waits.close();
    });
  }

  /**
   * Settles when the skill's code has ended. Undefined if it has; code that outlives its run ignores that it was stopped, whatever
   * the task came to.
   */
  get codeEnds(): Promise<unknown> | undefined {
    return this.code;
  }

  /** Abandons the skill: resolves nothing further and ignores later yields. */
  private leave(result: TurnResult): void {
    this.hasLeft = true;
    // The code of a parked run waits for ever.
    if (result.kind === 'parked') this.code = undefined;
    this.settle(result);
    this.controller?.abort(result.kind === 'parked' ? new TurnParked() : abortError('lost'));
  }

  /**
   * Ends the task with a text for its caller; a failing task with work to undo ends after that.
   * @param how `fault`: failed by the service and not by its skill
   * @param why machine-readable reason for a calling skill
   */
  async fail(text: string, how: 'failure' | 'rejection' | 'fault' = 'failure', why?: string): Promise<TurnResult> {
    this.writer.prepareEnd();
    if (this.claimed.log.hasUndo && how !== 'rejection') {
      await this.writer.settled();
      return {
        kind: 'ends',
        state: 'TASK_STATE_FAILED',
        said: how === 'fault' ? fault(shortened(text)) : { text: shortened(text) },
      };
    }
    const state = how === 'rejection' ? 'TASK_STATE_REJECTED' : 'TASK_STATE_FAILED';
    const isFault = how === 'fault';
    await this.writer.write(this.writes.verdict(state, text, { isFault, ...(why === undefined ? {} : { why }) }));
    return this.result(await this.writer.settled());
  }

  private async drive(handler: SkillHandler, context: SkillContext): Promise<TurnResult> {
    try {
      const end = await this.pull(handler.run(context));
      if (end === 'returned') await this.writer.write(this.writes.verdict('TASK_STATE_COMPLETED'));
      const settled = this.writer.settled();
      if (end !== 'stopped') this.onEnd?.();
      return this.result(await settled);
    } catch (error) {
      if (error instanceof RunLost) return { kind: 'stopped', reason: 'lost' };
      // Events yielded before the error belong to the task: they are committed before its consequences.
      const outcome = await this.writer.settled().catch(() => undefined);
      return outcome === undefined || outcome.kind === 'committed' ? { kind: 'threw', error } : this.result(outcome);
    }
  }

  /** Pulls events to the skill's end; ignores events after a status that ends the turn, or after a stop. */
  private async pull(events: AsyncGenerator<SkillEvent, void, void>): Promise<'returned' | 'said-so' | 'stopped'> {
    const { replay } = this.waits;
    let isDone = false;
    try {
      for (;;) {
        const behind = replay.beforePull();
        if (behind !== undefined) await behind;
        const { done, value } = await events.next();
        const event = value ?? undefined;
        isDone = done === true;
        const held = replay.afterPull();
        if (held !== undefined) await held;
        if (this.hasLeft || this.stopReason !== undefined || this.writer.ending !== undefined) return 'stopped';
        this.hasEnded = event === undefined || endsTurn(event);
        if (this.hasEnded) this.checkRepeated();
        if (this.hasEnded && this.waits.spawning !== undefined) await this.waits.spawning;
        if (event === undefined) return 'returned';
        const room = this.take(event);
        if (room !== undefined) await room;
        if (this.hasEnded) return 'said-so';
      }
    } finally {
      if (!isDone) await events.return();
    }
  }

  /** Events yielded by earlier runs of the turn are stored; later chunks of their artifacts continue them. */
  private take(event: SkillEvent): Promise<void> | undefined {
    const write = this.writes.of(event);
    if (this.repeated === 0) {
      this.resumed();
      return this.writer.write(write);
    }
    this.repeated -= 1;
    return undefined;
  }

  private checkRepeated(): void {
    const early = this.waits.replay.leftOver;
    if (early !== undefined) throw early;
    if (this.repeated > 0) throw new JournalMismatch(0, `${String(this.repeated)} more events`, 'the end of the turn');
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
      case 'lost':
        return stopped(outcome.kind);
    }
  }
}

/** Sets the task to WORKING. */
const WORKING = { kind: 'status', state: 'TASK_STATE_WORKING', isOfService: true } as const;

function stopped(how: 'cancel' | 'lost'): TurnResult {
  return { kind: 'stopped', reason: how === 'cancel' ? 'canceled' : 'lost' };
}

function endsTurn(event: SkillEvent): boolean {
  return event.kind === 'status' && event.state !== 'TASK_STATE_WORKING';
}

function abortError(reason: StopReason): DOMException {
  return new DOMException(`The run was stopped: ${reason}`, 'AbortError');
}
