import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../protocol/json.js';
import { invalidParams } from '../../protocol/errors.js';
import type { Message, Part } from '../../protocol/message.js';
import type { SkillEvent } from '../events.js';
import { ContractedSkill } from '../contract/contracted-skill.js';
import { readInput } from '../contract/skill-input.js';
import {
  type SkillClass,
  type SkillContext,
  type SkillHandler,
  skillOptionsOf,
  type SkillPrincipal,
  type SharedState,
  type SkillSender,
  type SkillState,
} from '../skill.js';
import { turnContent } from '../turn-content.js';

/** The input of a test run: a text, or any members of a turn. The rest is filled in. */
export interface SkillInput {
  readonly taskId?: string;
  readonly contextId?: string;
  readonly text?: string;
  /** The values of data parts. */
  readonly data?: readonly unknown[];
  /** Raw, url or any other parts, after the text and the data. */
  readonly parts?: readonly Part[];
  /** Metadata of the message. */
  readonly messageMetadata?: JsonObject;
  /** Metadata of the request that created the task. */
  readonly metadata?: JsonObject;
  /** The messages before this turn. */
  readonly history?: readonly Message[];
  readonly turn?: number;
  readonly attempt?: number;
  readonly acceptedOutputModes?: readonly string[];
  /** The caller that began the task, and unless `sender` says otherwise the one that sent this turn's message. */
  readonly principal?: SkillPrincipal;
  /** The sender of this turn's message. */
  readonly sender?: SkillSender;
  readonly signal?: AbortSignal;
  readonly deadline?: Date;
  /** Kept by the caller, so that a test can look into it or hand it to the next turn. */
  readonly state?: Map<string, unknown>;
  readonly contextState?: Map<string, unknown>;
  /** Results of `step` by name; give the map of a run that "crashed" to try the re-run. */
  readonly steps?: Map<string, unknown>;
}

/** A skill class that needs no dependencies, or a skill that the test has made. */
export type SkillUnderTest = SkillHandler | (new () => SkillHandler);

/**
 * Runs one turn of a skill without any server and gives the events that it yields. What it throws is thrown. Contracts
 * are kept as in the service: throws `A2AError` InvalidParams for input that does not fit, InvalidAgentResponse for output.
 */
export async function runSkill(skill: SkillUnderTest, input: SkillInput | string = {}): Promise<readonly SkillEvent[]> {
  const events: SkillEvent[] = [];
  for await (const event of streamSkill(skill, input)) {
    events.push(event);
  }
  return events;
}

/** Like `runSkill`, but event by event: for tests that abort or check the state halfway. */
export function streamSkill(
  skill: SkillUnderTest,
  input: SkillInput | string = {},
): AsyncGenerator<SkillEvent, void, void> {
  return runIn(aContext(typeof input === 'string' ? { text: input } : input), skill);
}

/** Runs one turn in a context that the test has made with `aContext`. */
export async function* runIn(context: SkillContext, skill: SkillUnderTest): AsyncGenerator<SkillEvent, void, void> {
  const handler = typeof skill === 'function' ? new skill() : skill;
  const options = skillOptionsOf(handler.constructor as SkillClass);
  if (options === undefined) {
    throw new Error(`${handler.constructor.name} has no @Skill`);
  }
  const [first] = context.history;
  const read = first && (await readInput(options, { message: first, metadata: context.metadata }));
  if (read?.kind === 'violations') {
    throw invalidParams(read.violations);
  }
  yield* new ContractedSkill(options, handler).run(context);
}

const TESTER: SkillPrincipal = { tenant: 'test', client: 'test' };

/** A context as the worker would hand it to a skill. */
export function aContext(input: SkillInput): SkillContext {
  const message = aMessage(input);
  const taskId = input.taskId ?? randomUUID();
  const turn = input.turn ?? 1;
  return {
    taskId,
    contextId: input.contextId ?? randomUUID(),
    turn,
    attempt: input.attempt ?? 1,
    idempotencyKey: `${taskId}:${String(turn)}`,
    messages: [message],
    senders: () => Promise.resolve([input.sender ?? input.principal ?? TESTER]),
    ...turnContent([message]),
    input: undefined,
    history: [...(input.history ?? []), message],
    metadata: input.metadata ?? {},
    acceptedOutputModes: input.acceptedOutputModes ?? [],
    principal: input.principal ?? TESTER,
    state: stateOf(input.state ?? new Map<string, unknown>()),
    contextState: sharedStateOf(input.contextState ?? new Map<string, unknown>()),
    signal: input.signal ?? new AbortController().signal,
    ...(input.deadline === undefined ? {} : { deadline: input.deadline }),
    log: { info: () => undefined, warn: () => undefined },
    step: journalIn(input.steps ?? new Map<string, unknown>()),
  };
}

function aMessage({ text, data = [], parts = [], messageMetadata }: SkillInput): Message {
  return {
    messageId: randomUUID(),
    role: 'ROLE_USER',
    parts: [...(text === undefined ? [] : [{ text }]), ...data.map((value) => ({ data: value })), ...parts],
    ...(messageMetadata === undefined ? {} : { metadata: messageMetadata }),
  };
}

function stateOf(values: Map<string, unknown>): SkillState {
  return {
    get: (name) => Promise.resolve(values.get(name)),
    set: (name, value) => Promise.resolve(void values.set(name, asStored(value))),
  };
}

function sharedStateOf(values: Map<string, unknown>): SharedState {
  const state = stateOf(values);
  return {
    ...state,
    async setIfAbsent(name, value) {
      if (!values.has(name)) await state.set(name, value);
      return state.get(name);
    },
  };
}

function journalIn(results: Map<string, unknown>): SkillContext['step'] {
  return async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    if (!results.has(name)) {
      results.set(name, asStored(await work()));
    }
    return results.get(name) as T;
  };
}

/** The value after JSON, as from storage, so that a test sees the effect on a Date or a Map. */
function asStored(value: unknown): unknown {
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);
}
