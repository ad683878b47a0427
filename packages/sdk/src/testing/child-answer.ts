import { randomUUID } from 'node:crypto';
import { A2AError } from '@parley/protocol/model/errors.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Message, Part } from '@parley/protocol/model/message.js';
import { INTERRUPTED_STATES } from '@parley/protocol/model/task-state.js';
import { CallFailed, type CallGroup, type CallInput, type CallOutcome, type CallSpec } from '../skill/calls/call.js';
import { conditionFault, metOutcome, versionFault } from '../skill/calls/conditions.js';
import { inputFor } from '../skill/calls/fallback.js';
import { resultOf } from '../skill/event-result.js';
import type { SkillEvent } from '../skill/events.js';
import type { AskedQuestion } from './answers.js';
import { SkillFailure, type SkillHandler, skillOptionsOf } from '../skill/skill.js';

/**
 * Answers for a called skill: the value of a data part, or a text. A thrown `CallFailed` is the outcome of the call.
 */
export type ChildAnswer = (input: CallInput) => string | JsonObject | Promise<string | JsonObject>;

/** A skill class that needs no dependencies, or a skill that the test has made. */
export type SkillUnderTest = SkillHandler | (new () => SkillHandler);

/** How a child is run. */
export interface RunChild {
  /** One turn of a skill. */
  readonly turn: (skill: SkillUnderTest, input: ChildTurn) => AsyncGenerator<SkillEvent, void, void>;
  /** The answer of the test to a question of the child; undefined: it has none. */
  readonly answer: (question: AskedQuestion) => unknown;
}

/** Differences between the turns of a child. */
export interface ChildTurn {
  readonly parts: readonly Part[];
  readonly taskId: string;
  readonly turn: number;
  readonly history: readonly Message[];
  readonly state: Map<string, unknown>;
}

/** Outcome of a call whose skill is an answer, or a skill of the test. */
export async function childOutcome(
  call: CallSpec,
  child: ChildAnswer | SkillUnderTest | undefined,
  run: RunChild,
): Promise<CallOutcome> {
  const { skillId, input, success = [], version } = call;
  if (child === undefined) return { why: 'unknown-skill', text: `the test has no child "${skillId}"` };
  if (isSkill(child)) {
    const options = skillOptionsOf(typeof child === 'function' ? child : child.constructor);
    const fault = options && (versionFault(options, version) ?? conditionFault(options, success));
    if (fault !== undefined) return { why: 'schema', text: fault };
    const outcome = await skillOutcome(child, partsOf(inputFor(options ?? {}, call)), run);
    return options === undefined ? outcome : metOutcome(outcome, options, success);
  }
  try {
    const value = await child(input);
    const part = typeof value === 'string' ? { text: value } : { data: value };
    return { taskId: randomUUID(), artifacts: [{ artifactId: 'result', parts: [part] }], message: [] };
  } catch (error) {
    if (error instanceof CallFailed) return { why: error.why, text: error.message };
    throw error;
  }
}

/** Outcomes in the order of the calls; those after the one that settles the group are left. */
export async function untilSettled(
  { calls, needed, mostFailed }: CallGroup,
  answered: (call: CallSpec) => Promise<CallOutcome>,
): Promise<readonly CallOutcome[]> {
  const outcomes: CallOutcome[] = [];
  for (const call of calls) {
    const failed = outcomes.filter((one) => 'why' in one && one.why !== 'left').length;
    const done = outcomes.filter((one) => !('why' in one)).length;
    const isSettled = done >= needed || (mostFailed > 0 && failed >= mostFailed);
    outcomes.push(isSettled ? { why: 'left', text: 'its fan-out was over before' } : await answered(call));
  }
  return outcomes;
}

/** Runs a child to its end: its questions are answered by the test, and each answer begins a turn. */
async function skillOutcome(skill: SkillUnderTest, first: readonly Part[], run: RunChild): Promise<CallOutcome> {
  const own = { taskId: randomUUID(), state: new Map<string, unknown>() };
  const history: Message[] = [];
  const events: SkillEvent[] = [];
  let parts = first;
  for (let turn = 1; ; turn += 1) {
    const before = events.length;
    const failure = await turnOf(run.turn(skill, { ...own, parts, turn, history: [...history] }), events);
    if (failure !== undefined) return failure;
    const last = events.slice(before).findLast((event) => event.kind === 'status');
    if (last?.kind !== 'status' || !INTERRUPTED.includes(last.state)) return endOf(own.taskId, last?.state, events);
    history.push(said('ROLE_USER', parts), said('ROLE_AGENT', last.parts));
    parts = answerTo(last.parts, run);
  }
}

const INTERRUPTED: readonly string[] = INTERRUPTED_STATES;

/** Runs one turn; returns the outcome of the call if the turn failed. */
async function turnOf(
  turn: AsyncGenerator<SkillEvent, void, void>,
  events: SkillEvent[],
): Promise<CallOutcome | undefined> {
  try {
    for await (const event of turn) events.push(event);
    return undefined;
  } catch (error) {
    if (error instanceof SkillFailure) return { why: 'failed', text: error.message };
    if (error instanceof A2AError && error.kind === 'InvalidParams') return { why: 'schema', text: error.message };
    throw error;
  }
}

function endOf(taskId: string, state: string | undefined, events: readonly SkillEvent[]): CallOutcome {
  const result = resultOf(events);
  if (state === 'TASK_STATE_REJECTED') return { why: 'rejected', text: textOf(result.message) };
  return { taskId, ...result };
}

function answerTo(parts: readonly Part[], { answer }: RunChild): readonly Part[] {
  const text = textOf(parts);
  const said = answer({ parts, text, state: 'TASK_STATE_INPUT_REQUIRED' });
  if (said === undefined) throw new Error(`A child asks "${text}", and the test has no answer`);
  return [typeof said === 'string' ? { text: said } : { data: said }];
}

function said(role: Message['role'], parts: readonly Part[]): Message {
  return { messageId: randomUUID(), role, parts };
}

function textOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n');
}

function isSkill(child: ChildAnswer | SkillUnderTest): child is SkillUnderTest {
  return typeof child !== 'function' || skillOptionsOf(child) !== undefined;
}

/** The parts of the message of a call. */
export function partsOf(input: CallInput): readonly Part[] {
  if (typeof input === 'string') return [{ text: input }];
  return Array.isArray(input) ? (input as readonly Part[]) : [{ data: input }];
}
