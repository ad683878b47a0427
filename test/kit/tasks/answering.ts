import { randomUUID } from 'node:crypto';
import { AnswerIntake } from '../../../src/operations/send/answer-intake.js';
import { senderOf } from '../../../src/operations/send/sender.js';
import type { Call } from '../../../src/operations/call.js';
import type { Message, Part } from '@parley/protocol/model/message.js';
import { QUESTIONS_EXTENSION } from '@parley/protocol/extension/questions.js';
import type { Principal } from '../../../src/auth/principal.js';
import type { ResumeOutcome } from '../../../src/tasks/store/resume-outcome.js';
import { OWNER, type TaskStores } from './task-stores.js';

/** What a caller says to a task. */
export interface Said {
  readonly text?: string;
  readonly data?: unknown;
  readonly questionId?: string;
  readonly messageId?: string;
  readonly referenceTaskIds?: readonly string[];
  readonly metadata?: Message['metadata'];
}

const SOMEBODY: Principal = { tenant: 'default', client: 'tests', scopes: [], method: 'token' };

/** Gives messages to tasks as SendMessage does: judged by the open questions, and again where these have changed. */
export class AnsweringCaller {
  private readonly intake;

  constructor(
    private readonly stores: TaskStores,
    /** Which skills the caller may not answer for. */
    refused: (skillId: string) => boolean = () => false,
  ) {
    const requireAnswer = (skillId: string): void => {
      if (refused(skillId)) throw new Error(`no scope for ${skillId}`);
    };
    this.intake = new AnswerIntake(stores.questions, stores.board, { requireAnswer });
  }

  async say(taskId: string, said: Said | string, caller: Partial<Principal> = {}): Promise<ResumeOutcome> {
    const principal = { ...SOMEBODY, ...caller };
    const message = messageOf(taskId, typeof said === 'string' ? { text: said } : said);
    const begun = await this.stores.tasks.begun(OWNER, taskId);
    if (begun === undefined) return { kind: 'not-found' };
    const call = { principal, owner: OWNER } as Call;
    const hash = JSON.stringify(message.parts).replaceAll(' ', '');
    for (let { asks } = begun; ; asks = true) {
      const judged = await this.intake.judge(message, { ...begun, asks }, call);
      const turn = { sender: senderOf(principal), ...(judged === undefined ? {} : { judged: judged.judged }) };
      const outcome = await this.stores.tasks.resume(OWNER, message, hash, turn);
      if (outcome.kind === 'asked') continue;
      if (outcome.kind === 'answered') await this.intake.settled(begun.root);
      return outcome;
    }
  }
}

function messageOf(
  taskId: string,
  { text, data, questionId, messageId, metadata, referenceTaskIds }: Said,
): Message & { readonly taskId: string } {
  const parts: Part[] = [...(text === undefined ? [] : [{ text }]), ...(data === undefined ? [] : [{ data }])];
  const named = questionId === undefined ? {} : { [QUESTIONS_EXTENSION]: { questionId } };
  return {
    ...{ messageId: messageId ?? randomUUID(), role: 'ROLE_USER', taskId, parts },
    ...(referenceTaskIds === undefined ? {} : { referenceTaskIds }),
    ...(questionId === undefined && metadata === undefined ? {} : { metadata: { ...metadata, ...named } }),
  };
}
