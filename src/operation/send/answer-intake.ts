import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import {
  type FittingAnswer,
  judged,
  mayAnswer,
  MOST_ANSWER_BYTES,
  NAMED_QUESTION,
  questionIdOf,
  type Verdict,
} from '../../agent/answer-judge.js';
import type { ForwardedAnswer } from '../../agent/question-board.js';
import { QuestionBoard } from '../../agent/question-board.js';
import { questionsMessage, stateOfQuestions } from '../../agent/questions-message.js';
import { A2AError, type FieldViolation, invalidParams } from '../../protocol/errors.js';
import { bytesAsJson } from '../../protocol/json.js';
import type { Message } from '../../protocol/message.js';
import type { OpenQuestion, StoredAnswer } from '../../protocol/questions.js';
import { signalOf } from '../../protocol/signal.js';
import type { BegunTask, JudgedMessage, TaskAnswers } from '../../task/next-turn.js';
import { answerField, questionsText } from '../../task/open-question.js';
import { type AskingTask, QuestionStore } from '../../task/question.store.js';
import type { Call } from '../call.js';
import { SkillScopes } from '../skill-scopes.js';
import { senderOf } from './sender.js';

/** What a message is to the questions of its task, and why it would be asked again. */
export interface JudgedIntake {
  readonly judged: JudgedMessage;
  readonly violations: readonly FieldViolation[];
}

/** Finds the questions that a message answers, and checks caller and answer before anything is stored. */
@Injectable()
export class AnswerIntake {
  constructor(
    private readonly store: QuestionStore,
    private readonly board: QuestionBoard,
    @Inject(SkillScopes) private readonly scopes: Pick<SkillScopes, 'require'>,
  ) {}

  /**
   * Undefined where the task has asked nothing.
   * @throws A2AError PermissionDenied for a caller who may not answer, InvalidParams for an answer that is too large
   */
  async judge(
    message: Message & { readonly taskId: string },
    { root, asks }: Pick<BegunTask, 'root' | 'asks'>,
    call: Call,
  ): Promise<JudgedIntake | undefined> {
    const named = questionIdOf(message);
    const isNamed = named !== undefined;
    if (!asks && !isNamed) return undefined;
    if (signalOf(message) !== '') return NONE;
    const asking = await this.store.of(message.taskId, root === message.taskId, named?.split(':')[0]);
    const now = this.store.now();
    // A task that has ended its turn with a question takes the next message without further ado.
    const open = asking
      .flatMap(({ questions }) => questions.filter(({ until }) => until > now))
      .filter(({ how, taskId }) => how === 'ask' || taskId !== message.taskId);
    if (open.length === 0) return isNamed ? UNKNOWN : NONE;
    const verdict = judged(message, open);
    switch (verdict.kind) {
      case 'unknown':
        return UNKNOWN;
      case 'again':
        return this.askedAgain(message, open, verdict);
      case 'answers':
        for (const answer of verdict.answers) this.check(answer, call);
        return { judged: this.answersOf(message, asking, verdict.answers, call), violations: [] };
    }
  }

  /** The root shows what is left, and the next turns of tasks begin that have ended theirs with the question. Returns their number. */
  settled(root: string): Promise<number> {
    return this.board.refresh(root);
  }

  private async askedAgain(
    { taskId, contextId = '' }: Message & { readonly taskId: string },
    open: readonly OpenQuestion[],
    { because, violations }: Extract<Verdict, { kind: 'again' }>,
  ): Promise<JudgedIntake> {
    const task = { taskId, contextId: contextId === '' ? await this.contextOf(taskId) : contextId };
    const message = questionsMessage(task, open, randomUUID(), because);
    return { judged: { kind: 'again', state: stateOfQuestions(open), message }, violations };
  }

  private async contextOf(taskId: string): Promise<string> {
    return (await this.store.root(taskId))?.contextId ?? '';
  }

  /** A question is answered with the rights that its skill and itself ask for. */
  private check({ question, parts }: FittingAnswer, call: Call): void {
    this.scopes.require(question.skillId, call);
    const { client, subject, scopes } = call.principal;
    if (!mayAnswer({ client, scopes, ...(subject === undefined ? {} : { subject }) }, question.approvers)) {
      const metadata = { questionId: question.id };
      throw new A2AError('PermissionDenied', 'The question must be answered by somebody else', { metadata });
    }
    if (question.how === 'ask' && bytesAsJson(parts) > MOST_ANSWER_BYTES) {
      const description = `an answer has at most ${String(MOST_ANSWER_BYTES / 1024)} KiB: send larger content by URL`;
      throw invalidParams([{ field: 'message.parts', description }]);
    }
  }

  private answersOf(
    message: Message,
    asking: readonly AskingTask[],
    answers: readonly FittingAnswer[],
    call: Call,
  ): JudgedMessage {
    const tasks = asking.flatMap((task) => {
      const own = answers.filter(({ question }) => question.taskId === task.taskId);
      return own.length === 0 ? [] : [this.taskAnswers(message, task, own, call)];
    });
    return { kind: 'answers', ids: answers.map(({ question }) => question.id), answers: tasks };
  }

  private taskAnswers(
    message: Message,
    { taskId, text, questions }: AskingTask,
    own: readonly FittingAnswer[],
    call: Call,
  ): TaskAnswers {
    const ids = new Set(own.map(({ question }) => question.id));
    const left = questionsText(questions.filter(({ id }) => !ids.has(id)));
    const [first] = own;
    const forwarded = first?.question.how === 'turn' ? first : undefined;
    const entries = forwarded
      ? [['-', JSON.stringify(forwardOf(message, taskId, forwarded, call))] as const]
      : own.flatMap((answer) => this.entryOf(message, answer, call));
    return { taskId, seen: text, left, how: forwarded === undefined ? 'ask' : 'turn', entries };
  }

  private entryOf(
    { messageId }: Message,
    { question, parts, value }: FittingAnswer,
    { principal }: Call,
  ): TaskAnswers['entries'] {
    const field = answerField(question.id);
    const answer: StoredAnswer = {
      messageId,
      parts,
      value,
      sender: senderOf(principal),
      at: Math.floor(this.store.now()),
    };
    return field === undefined ? [] : [[field, JSON.stringify(answer)]];
  }
}

const UNKNOWN: JudgedIntake = {
  judged: { kind: 'unknown' },
  violations: [{ field: NAMED_QUESTION, description: 'is no open question of the task' }],
};
const NONE: JudgedIntake = { judged: { kind: 'none' }, violations: [] };

/** The message as the task gets it that has ended its turn with the question. */
function forwardOf(
  message: Message,
  taskId: string,
  { parts }: FittingAnswer,
  { owner, principal }: Call,
): ForwardedAnswer {
  const { messageId, role, metadata } = message;
  const forwarded = { messageId, role, parts, taskId, ...(metadata === undefined ? {} : { metadata }) };
  return { owner, message: forwarded, sender: senderOf(principal) };
}
