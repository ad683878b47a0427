import { randomUUID } from 'node:crypto';
import { A2AError } from '../../protocol/errors.js';
import type { JsonObject } from '../../protocol/json.js';
import type { Part } from '../../protocol/message.js';
import type { Artifact } from '../../protocol/task.js';
import { CallFailed, type CallGroup, type CallInput, type CallOutcome, type CallSpec } from '../calls/call.js';
import type { SkillEvent } from '../events.js';
import { SkillFailure, type SkillHandler, skillOptionsOf, type SkillClass } from '../skill.js';

/**
 * What a called skill answers: the value of a data part, or a text. A `CallFailed` that it throws is the outcome of the call.
 */
export type ChildAnswer = (input: CallInput) => string | JsonObject | Promise<string | JsonObject>;

/** A skill class that needs no dependencies, or a skill that the test has made. */
export type SkillUnderTest = SkillHandler | (new () => SkillHandler);

/** Runs one turn of a skill. */
export type RunChild = (
  skill: SkillUnderTest,
  input: { readonly parts: readonly Part[] },
) => AsyncGenerator<SkillEvent, void, void>;

/** How a call comes out whose skill is an answer, or a skill of the test. */
export async function childOutcome(
  { skillId, input }: CallSpec,
  child: ChildAnswer | SkillUnderTest | undefined,
  run: RunChild,
): Promise<CallOutcome> {
  if (child === undefined) return { why: 'unknown-skill', text: `the test has no child "${skillId}"` };
  if (isSkill(child)) return skillOutcome(run(child, { parts: partsOf(input) }));
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

/** The artifacts that events make, and the parts of the last message. */
export function resultOf(events: readonly SkillEvent[]): {
  readonly artifacts: readonly Artifact[];
  readonly message: readonly Part[];
} {
  const artifacts = new Map<string, Artifact>();
  for (const event of events) {
    if (event.kind !== 'artifact') continue;
    const { kind: _kind, append, lastChunk: _lastChunk, ...one } = event;
    const before = append ? (artifacts.get(one.artifactId)?.parts ?? []) : [];
    artifacts.set(one.artifactId, { ...one, parts: [...before, ...one.parts] });
  }
  const last = events.findLast(({ kind }) => kind === 'status');
  return { artifacts: [...artifacts.values()], message: last?.parts ?? [] };
}

async function skillOutcome(run: AsyncGenerator<SkillEvent, void, void>): Promise<CallOutcome> {
  const events: SkillEvent[] = [];
  try {
    for await (const event of run) events.push(event);
  } catch (error) {
    if (error instanceof SkillFailure) return { why: 'failed', text: error.message };
    if (error instanceof A2AError && error.kind === 'InvalidParams') return { why: 'schema', text: error.message };
    throw error;
  }
  const result = resultOf(events);
  const last = events.findLast((event) => event.kind === 'status');
  if (last?.kind === 'status' && last.state === 'TASK_STATE_REJECTED') {
    return { why: 'rejected', text: result.message.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n') };
  }
  return { taskId: randomUUID(), ...result };
}

function isSkill(child: ChildAnswer | SkillUnderTest): child is SkillUnderTest {
  return typeof child !== 'function' || skillOptionsOf(child as SkillClass) !== undefined;
}

function partsOf(input: CallInput): readonly Part[] {
  if (typeof input === 'string') return [{ text: input }];
  return Array.isArray(input) ? (input as readonly Part[]) : [{ data: input }];
}
