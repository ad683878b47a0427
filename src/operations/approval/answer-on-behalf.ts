import { Injectable } from '@nestjs/common';
import { A2AError, invalidParams, taskNotFound } from '@parley/protocol/model/errors.js';
import { meaningOf } from '@parley/protocol/codec/message-meaning.js';
import type { Message, Part } from '@parley/protocol/model/message.js';
import { type Person, QUESTIONS_EXTENSION } from '@parley/protocol/extension/questions.js';
import { callTraceOf } from '../../platform/logging/call-fields.js';
import { carrierIn } from '../../platform/tracing/trace-carrier.js';
import { type Decision, DecisionStore } from '../../tasks/questions/decision.store.js';
import type { TaskFacts } from '../../tasks/lists/task-inspector.js';
import type { Call } from '../call.js';
import { type JudgedIntake, loginOfSomebodyElse } from '../send/answer-intake.js';
import { KnownMessages } from '../send/known-messages.js';
import { acceptedAs } from '../send/message-acceptance.js';
import { RunStarter } from '../send/run-starter.js';
import { TaskEntry } from '../send/task-entry.js';
import { SkillScopes } from '../skill-scopes.js';

/** An answer to an open question of a tree. */
export interface GivenOnBehalf {
  readonly questionId: string;
  readonly part: Part;
  /** Makes a repeat with the same id idempotent. */
  readonly messageId: string;
}

/** `recorded`: other persons must give the same answer. */
export interface AnsweredOnBehalf {
  readonly outcome: 'answered' | 'recorded';
}

/** The question is no longer open. The error names the person, the decision and the time. */
export class StaleAnswer extends A2AError {
  constructor(questionId: string, decision: Decision | undefined) {
    const text = decision === undefined ? 'The question is open no longer' : 'The question was answered already';
    const by = decision?.by === undefined ? '' : ` by ${nameOf(decision.by)}`;
    super('UnsupportedOperation', text + by, { metadata: { questionId, ...factsOf(decision) } });
  }
}

/** Characters of a decision in an error. */
const MAX_SHOWN = 500;

/**
 * Answers a question on behalf of the owner of its task. The answer is processed like every message; its author is the
 * caller. Scopes of skills are not required, since the endpoint requires its own: an approver need not be allowed to
 * begin tasks.
 */
@Injectable()
export class AnswerOnBehalf {
  constructor(
    private readonly entry: TaskEntry,
    private readonly runs: RunStarter,
    private readonly scopes: SkillScopes,
    private readonly decisions: DecisionStore,
    private readonly known: KnownMessages,
  ) {}

  /**
   * @param task root of the asking tree
   * @throws A2AError PermissionDenied, StaleAnswer, InvalidParams for an invalid answer
   */
  async answer(
    task: Pick<TaskFacts, 'id' | 'owner' | 'state' | 'contextId'>,
    given: GivenOnBehalf,
    caller: Call,
  ): Promise<AnsweredOnBehalf> {
    const call = { ...caller, owner: task.owner, isOnBehalf: true };
    const ended = endedTurn(task.id, given.questionId);
    const message = messageOf(task, given, ended === undefined);
    const begun = await this.known.begun(task.id, { message }, call);
    if (begun === undefined) throw taskNotFound();
    if (await this.known.isTaken(task.id, begun, { message }, call)) return this.given(given.questionId);
    if (task.state === 'TASK_STATE_AUTH_REQUIRED') throw loginOfSomebodyElse(given.questionId);
    if (ended !== undefined) this.scopes.requireAnswer(begun.skillId, call);
    const judged = ended === undefined ? {} : { judged: { kind: 'turn', turn: ended } as const };
    const turn = { trace: callTraceOf(carrierIn(call.trace)), ...judged };
    const meaning = meaningOf({ message }, call.principal);
    const resumed = await this.entry.resume(call, message, meaning, { begun, turn, check: requireFit });
    const { outcome, isUndecided = false } = resumed;
    if (outcome.kind === 'unknown-question' || outcome.kind === 'terminal') {
      throw new StaleAnswer(given.questionId, await this.decisions.of(given.questionId));
    }
    this.runs.wakeFor(outcome);
    if (acceptedAs(resumed, task.id).repeated) return this.given(given.questionId);
    return { outcome: isUndecided ? 'recorded' : 'answered' };
  }

  /** The outcome of an earlier answer. */
  private async given(questionId: string): Promise<AnsweredOnBehalf> {
    return { outcome: (await this.decisions.of(questionId)) === undefined ? 'recorded' : 'answered' };
  }
}

/** Refuses an invalid answer without a change: the person has the question on the screen. */
function requireFit({ judged, violations }: JudgedIntake): void {
  if (judged.kind === 'again') throw invalidParams(violations);
}

/** The turn that a task ended with a question, from the question's id; undefined for the question of an `ask`. */
function endedTurn(taskId: string, questionId: string): number | undefined {
  const [, task, turn] = /^([^:]+):(\d+)$/.exec(questionId) ?? [];
  return task === taskId ? Number(turn) : undefined;
}

function messageOf(
  { id, contextId }: Pick<TaskFacts, 'id' | 'contextId'>,
  { questionId, part, messageId }: GivenOnBehalf,
  isNamed: boolean,
): Message & { readonly taskId: string } {
  return {
    ...{ messageId, role: 'ROLE_USER', taskId: id, contextId, parts: [part] },
    ...(isNamed ? { metadata: { [QUESTIONS_EXTENSION]: { questionId } } } : {}),
  };
}

function factsOf(decision: Decision | undefined): Readonly<Record<string, string>> {
  if (decision === undefined) return {};
  const { by, givenBy, at, parts } = decision;
  const [part] = parts ?? [];
  const said =
    part === undefined ? undefined : 'text' in part ? part.text : JSON.stringify('data' in part ? part.data : part);
  return {
    decidedAt: new Date(at).toISOString(),
    ...(by === undefined ? {} : { decidedBy: (givenBy ?? [by]).map(nameOf).join(', ') }),
    ...(said === undefined ? {} : { decision: said.slice(0, MAX_SHOWN) }),
  };
}

function nameOf({ client, subject }: Person): string {
  return subject === undefined ? client : `${subject} (${client})`;
}
