import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import {
  type AnswerRefusal,
  type FittingAnswer,
  judged,
  MAX_ANSWER_BYTES,
  NAMED_QUESTION,
  questionIdOf,
  refusalOf,
  type Verdict,
} from '../../agents/questions/answer-judge.js';
import { type GivenAnswer, isDecided, neededOf, votesWith } from '../../agents/questions/votes.js';
import type { ForwardedAnswer } from '../../agents/questions/question-board.js';
import { QuestionBoard } from '../../agents/questions/question-board.js';
import { questionsMessage, stateOfQuestions } from '../../agents/questions/questions-message.js';
import { isRemote } from '@parley/sdk/skill/calls/remote.js';
import { A2AError, type FieldViolation, invalidParams } from '@parley/protocol/model/errors.js';
import { bytesAsJson } from '@parley/protocol/model/json.js';
import type { Message } from '@parley/protocol/model/message.js';
import type { OpenQuestion, Person, StoredAnswer } from '@parley/protocol/extension/questions.js';
import { signalOf } from '@parley/protocol/extension/signal.js';
import type { BegunTask, JudgedMessage, TaskAnswers } from '../../tasks/store/next-turn.js';
import { answerField, questionsText } from '../../tasks/record/open-question.js';
import { type AskingTask, QuestionStore } from '../../tasks/questions/question.store.js';
import type { Principal } from '../../auth/principal.js';
import type { Call } from '../call.js';
import { SkillScopes } from '../skill-scopes.js';
import { senderOf } from './sender.js';

/** Bytes, as JSON, of an answer that several persons must give: it is stored with the open question. */
const MAX_VOTE_BYTES = 8 * 1024;

/** The relation of a message to the questions of its task, and the reason for asking again. */
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
    @Inject(SkillScopes) private readonly scopes: Pick<SkillScopes, 'requireAnswer'>,
  ) {}

  /**
   * Undefined when the task has no open question and has the conversation.
   * @throws A2AError PermissionDenied for a caller who may not answer, InvalidParams for a too large answer
   */
  async judge(
    message: Message & { readonly taskId: string },
    { root, asks, handedTo }: Pick<BegunTask, 'root' | 'asks' | 'handedTo'>,
    call: Call,
  ): Promise<JudgedIntake | undefined> {
    const named = questionIdOf(message);
    const isNamed = named !== undefined;
    const isSignal = signalOf(message) !== '';
    if (!asks && !isNamed) return isSignal ? undefined : this.handed(handedTo, false, call);
    if (isSignal) return NONE;
    const asking = await this.store.of(message.taskId, root === message.taskId, named?.split(':')[0]);
    const now = this.store.now();
    // A task that ended its turn with a question accepts the next message as its answer.
    const open = asking
      .flatMap(({ questions }) => questions.filter(({ until }) => until > now))
      .filter(({ how, taskId }) => how === 'ask' || taskId !== message.taskId);
    if (open.length === 0) return isNamed ? UNKNOWN : ((await this.handed(handedTo, true, call)) ?? NONE);
    const verdict = judged(message, open);
    switch (verdict.kind) {
      case 'unknown':
        return UNKNOWN;
      case 'again':
        return this.askedAgain(message, open, verdict);
      case 'answers':
        for (const answer of verdict.answers) this.check(answer, call);
        return { judged: await this.answersOf(message, { asking, open }, verdict.answers, call), violations: [] };
    }
  }

  /**
   * Updates the root's questions, and begins the next turns of tasks that ended theirs with the question. Returns the
   * number of turns.
   */
  settled(root: string): Promise<number> {
    return this.board.refresh(root);
  }

  /** For the task that has the conversation, with the rights required by its skill. Other services get answers only. */
  private async handed(handedTo: string | undefined, hasRead: boolean, call: Call): Promise<JudgedIntake | undefined> {
    const holder = handedTo === undefined ? undefined : await this.store.holder(handedTo);
    if (holder === undefined || isRemote(holder.skillId)) return undefined;
    this.scopes.requireAnswer(holder.skillId, call);
    return { judged: { kind: 'handed', to: holder.taskId, hasRead }, violations: [] };
  }

  private async askedAgain(
    { taskId, contextId = '' }: Message & { readonly taskId: string },
    open: readonly OpenQuestion[],
    { because, violations }: Extract<Verdict, { kind: 'again' }>,
  ): Promise<JudgedIntake> {
    return { judged: { kind: 'again', ...(await this.asked({ taskId, contextId }, open, because)) }, violations };
  }

  private async asked(
    { taskId, contextId }: { readonly taskId: string; readonly contextId: string },
    open: readonly OpenQuestion[],
    because: string,
  ): Promise<Omit<Extract<JudgedMessage, { kind: 'again' }>, 'kind'>> {
    const task = { taskId, contextId: contextId === '' ? await this.contextOf(taskId) : contextId };
    return { state: stateOfQuestions(open), message: questionsMessage(task, open, randomUUID(), because) };
  }

  private async contextOf(taskId: string): Promise<string> {
    return (await this.store.root(taskId))?.contextId ?? '';
  }

  /** Checks the rights that the question and its skill require. */
  private check({ question, parts, value }: FittingAnswer, call: Call): void {
    this.scopes.requireAnswer(question.skillId, call);
    if (call.isOnBehalf === true && question.state === 'TASK_STATE_AUTH_REQUIRED')
      throw loginOfSomebodyElse(question.id);
    const { client, subject, scopes } = call.principal;
    const refusal = refusalOf({ client, scopes, ...(subject === undefined ? {} : { subject }) }, question);
    if (refusal !== undefined) {
      const metadata = { questionId: question.id, because: refusal };
      throw new A2AError('PermissionDenied', REFUSALS[refusal], { metadata });
    }
    if (question.how === 'ask' && bytesAsJson(parts) > MAX_ANSWER_BYTES) {
      const description = `an answer has at most ${String(MAX_ANSWER_BYTES / 1024)} KiB: send larger content by URL`;
      throw invalidParams([{ field: 'message.parts', description }]);
    }
    if (neededOf(question) > 1 && bytesAsJson(value) > MAX_VOTE_BYTES) {
      const description = `an answer of several persons has at most ${String(MAX_VOTE_BYTES / 1024)} KiB`;
      throw invalidParams([{ field: 'message.parts', description }]);
    }
  }

  private async answersOf(
    message: Message & { readonly taskId: string },
    { asking, open }: { readonly asking: readonly AskingTask[]; readonly open: readonly OpenQuestion[] },
    answers: readonly FittingAnswer[],
    call: Call,
  ): Promise<JudgedMessage> {
    const vote = { by: personOf(call.principal), at: Math.floor(this.store.now()) };
    const given = answers.map((answer) => ({ ...answer, votes: votesWith(answer, { ...vote, value: answer.value }) }));
    const tasks = asking.flatMap((task) => {
      const own = given.filter(({ question }) => question.taskId === task.taskId);
      return own.length === 0 ? [] : [this.taskAnswers(message, task, own, call)];
    });
    const ids = answers.map(({ question }) => question.id);
    if (given.some(isDecided)) return { kind: 'answers', ids, answers: tasks };
    const still = open.map((question) => {
      const votes = given.find((one) => one.question.id === question.id)?.votes;
      return votes === undefined ? question : { ...question, votes };
    });
    const { taskId, contextId = '' } = message;
    return { kind: 'answers', ids, answers: tasks, again: await this.asked({ taskId, contextId }, still, ONE_MORE) };
  }

  private taskAnswers(
    message: Message,
    { taskId, text, questions }: AskingTask,
    own: readonly GivenAnswer[],
    call: Call,
  ): TaskAnswers {
    const left = questions.flatMap((question) => {
      const given = own.find((one) => one.question.id === question.id);
      if (given === undefined) return [question];
      return isDecided(given) ? [] : [{ ...question, votes: given.votes }];
    });
    const [first] = own;
    const about = { taskId, seen: text, left: questionsText(left) };
    if (first?.question.how === 'turn') {
      const forward = JSON.stringify(forwardOf(message, taskId, first, call));
      return { ...about, how: 'turn', entries: [['-', forward]] };
    }
    const decided = own.filter(isDecided);
    const entries = decided.flatMap((answer) => this.entryOf(message, answer, call));
    return { ...about, how: decided.length === 0 ? 'vote' : 'ask', entries };
  }

  private entryOf(
    { messageId }: Message,
    { question, parts, value, votes }: GivenAnswer,
    { principal }: Call,
  ): TaskAnswers['entries'] {
    const field = answerField(question.id);
    const answer: StoredAnswer = {
      messageId,
      parts,
      value,
      sender: senderOf(principal),
      at: Math.floor(this.store.now()),
      ...(votes.length === 0 ? {} : { givenBy: votes.map(({ by, at }) => ({ ...by, at })) }),
    };
    return field === undefined ? [] : [[field, JSON.stringify(answer)]];
  }
}

function personOf({ client, subject }: Principal): Person {
  return { client, ...(subject === undefined ? {} : { subject }) };
}

const REFUSALS: Readonly<Record<AnswerRefusal, string>> = {
  approvers: 'The question must be answered by somebody else',
  'four-eyes': 'The question must be answered by somebody else: you began the task',
  voted: 'You have answered: the question needs the same answer of another person',
};
const ONE_MORE = 'The answer is recorded. Another person must give the same answer.';

const UNKNOWN: JudgedIntake = {
  judged: { kind: 'unknown' },
  violations: [{ field: NAMED_QUESTION, description: 'is no open question of the task' }],
};
const NONE: JudgedIntake = { judged: { kind: 'none' }, violations: [] };

/** The message for the task that ended its turn with the question. */
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

/** Only the caller itself can log in or consent. */
export function loginOfSomebodyElse(questionId: string): A2AError {
  const text = 'The caller that began the task must log in or consent itself';
  return new A2AError('PermissionDenied', text, { metadata: { questionId } });
}
