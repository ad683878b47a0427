import { Injectable } from '@nestjs/common';
import type { FieldViolation } from '@parley/protocol/model/errors.js';
import type { Principal } from '../../auth/principal.js';
import { quotaExceeded } from '../../limits/quotas/quota.js';
import { QuotaStore } from '../../limits/quotas/quota.store.js';
import type { Message } from '@parley/protocol/model/message.js';
import { QuotaStates } from '../../tasks/lists/quota-states.js';
import type { BeginningSlot } from '../../tasks/store/begin-arguments.js';
import type { ResumeOutcome } from '../../tasks/store/resume-outcome.js';
import type { NewTask } from '../../tasks/record/new-task.js';
import type { BegunTask, JudgedMessage, NextTurn } from '../../tasks/store/next-turn.js';
import { type CreateOutcome, TaskStore } from '../../tasks/store/task.store.js';
import type { Call } from '../call.js';
import { AnswerIntake, type JudgedIntake } from './answer-intake.js';
import { StorageRoom } from './storage-room.js';
import { senderOf } from './sender.js';

/** Attempts of a message whose questions others answer concurrently. */
const MAX_TRIES = 100;

/** The outcome of a message, with its violations when nothing was stored. */
export interface ResumedMessage {
  readonly outcome: ResumeOutcome;
  readonly violations: readonly FieldViolation[];
  /** Whether it was recorded and other persons must give the same answer. */
  readonly isUndecided?: boolean;
}

/** The data for continuing a task. */
interface Continuation {
  readonly begun: BegunTask;
  readonly turn: NextTurn;
  /** Called with the message's relation to open questions, before anything is stored. */
  readonly check: (read: JudgedIntake) => void;
}

/** Creates and continues tasks: quotas limit creation, storage limits both. There must be room to store the message. */
@Injectable()
export class TaskEntry {
  constructor(
    private readonly store: TaskStore,
    private readonly quotas: QuotaStore,
    private readonly quotaStates: QuotaStates,
    private readonly room: StorageRoom,
    private readonly answers: AnswerIntake,
  ) {}

  /** The id of the task that a message begins, and the identity of the message for repeats. */
  identityOf(message: Message, { owner, principal, legacy }: Call): Pick<NewTask, 'id' | 'digest'> {
    const name = legacy?.clientTaskId;
    return name === undefined
      ? this.store.newIdentity(owner, principal.client, message.messageId)
      : { id: this.store.idOfClientTask(owner, name) };
  }

  /**
   * @param slot in which the run may begin at once
   * @throws RateLimitedError when a quota is full
   */
  async create(principal: Principal, task: NewTask, slot?: BeginningSlot): Promise<CreateOutcome> {
    await this.room.require(principal, task.message, task.push);
    // Without authentication only this machine can call: quotas would be useless.
    if (principal.method === 'local') return this.store.create(task, slot);
    const full = await this.quotas.reserve(principal, task.id, (ids) => this.quotaStates.of(ids));
    if (full !== undefined) throw quotaExceeded(full);
    const outcome = await this.store.create({ ...task, isCounted: true }, slot);
    // A client that names its task finds it again under the same id, and it counts.
    const isOther = task.clientTaskId === undefined && outcome.kind !== 'created';
    if (isOther) await this.quotas.release(principal, task.id);
    return outcome;
  }

  /**
   * Gives a message to the task that it names. If questions are answered or asked between reading them and the script,
   * it tries again.
   * @returns with the violations when nothing was stored
   */
  async resume(
    call: Call,
    message: Message & { readonly taskId: string },
    requestHash: string,
    { begun, turn, check }: Continuation,
  ): Promise<ResumedMessage> {
    let { asks } = begun;
    for (let tries = 0; ; tries += 1) {
      const read = turn.judged === undefined ? await this.answers.judge(message, { ...begun, asks }, call) : undefined;
      if (read !== undefined) check(read);
      const next = read === undefined ? turn : { ...turn, judged: read.judged };
      const outcome = await this.resumeOnce(call, message, requestHash, next);
      const violations = read?.violations ?? [];
      if (outcome.kind === 'answered' && read !== undefined && isForwarded(read.judged)) {
        const runs = outcome.runs + (await this.answers.settled(begun.root));
        return { outcome: { ...outcome, runs }, violations };
      }
      if (outcome.kind !== 'asked' || tries === MAX_TRIES) {
        return { outcome, violations, isUndecided: read?.judged.kind === 'answers' && read.judged.again !== undefined };
      }
      asks = true;
    }
  }

  private async resumeOnce(
    { owner, principal }: Call,
    message: Message & { readonly taskId: string },
    requestHash: string,
    turn: NextTurn,
  ): Promise<ResumeOutcome> {
    await this.room.require(principal, message, turn.push);
    return this.store.resume(owner, message, requestHash, { ...turn, sender: senderOf(principal) });
  }
}

/** Whether a message answers questions, validly or not. */
export function isAnswer({ judged: { kind } }: JudgedIntake): boolean {
  return kind === 'answers' || kind === 'again';
}

/** Whether the answer begins the next turn of a task. Other updates of roots are left to the sweep. */
function isForwarded(judged: JudgedMessage): boolean {
  return judged.kind === 'answers' && judged.answers.some(({ how }) => how === 'turn');
}
