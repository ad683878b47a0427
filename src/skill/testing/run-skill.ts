import { randomUUID } from 'node:crypto';
import { CONTEXT_EXTENSION } from '../../protocol/context-extension.js';
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
import { type CallGroup, CallFailed, type CallInput, type CallOutcome, type CallSpec } from '../calls/call.js';
import { skillCalls } from '../calls/skill-calls.js';
import { LIVE_STEP } from '../live-step.js';
import { RequestFailed, type SkillRequest } from '../requests/skill-request.js';
import { Journal } from '../replay/journal.js';
import { turnContent } from '../turn-content.js';
import { type ComingMessage, TestTurn, TurnTime, type WaitingRun } from './waiting-run.js';

/** The input of a test run: a text, or any members of a turn. The rest is filled in. */
export interface SkillInput {
  readonly taskId?: string;
  readonly contextId?: string;
  readonly text?: string;
  /** The values of data parts. */
  readonly data?: readonly unknown[];
  /** Raw, url or any other parts, after the text and the data. */
  readonly parts?: readonly Part[];
  /** Memory that the caller lends: the skill gets what its contract reads. */
  readonly memory?: JsonObject;
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
  /** Messages that come while the skill waits. */
  readonly coming?: readonly Coming[];
  /** The time at the start of the turn, ms since 1970. It passes only while the skill waits, and then at once. */
  readonly nowMs?: number;
  /** What called skills answer, by their ids. */
  readonly children?: Readonly<Record<string, ChildAnswer>>;
  /** Answers `context.fetch`; without it a request fails. */
  readonly fetch?: (url: string, request: SkillRequest) => Response | Promise<Response>;
  /** Results of `step` by name; give the map of a run that "crashed" to try the re-run. */
  readonly steps?: Map<string, unknown>;
}

/**
 * What a called skill answers: the value of a data part, or a text. A `CallFailed` that it throws is the outcome of the call.
 */
export type ChildAnswer = (input: CallInput) => string | JsonObject | Promise<string | JsonObject>;

/** A message to the task of a turn that runs or waits. */
export interface Coming {
  /** When it comes, ms after the start of the turn. */
  readonly atMs: number;
  readonly text?: string;
  readonly data?: readonly unknown[];
  /** Its `metadata.signal`. */
  readonly signal?: string;
}

const TURN = Symbol('The turn that a context of a test belongs to');

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
  const contracted = new ContractedSkill(options, handler);
  const turn: unknown = Reflect.get(context, TURN);
  if (turn instanceof TestTurn) yield* runTurn(turn, () => contracted.run(context));
  else yield* contracted.run(context);
}

/** Runs a turn as the service does: from its start after each wait, without the events that it has yielded before. */
async function* runTurn(
  turn: TestTurn,
  start: () => AsyncGenerator<SkillEvent, void, void>,
): AsyncGenerator<SkillEvent, void, void> {
  let journal = new Journal();
  for (let yielded = 0; ;) {
    const run = turn.begin(journal);
    const progress = { yielded };
    const parked = yield* runOnce(run, start(), progress);
    if (parked === undefined) return;
    journal = parked;
    yielded = progress.yielded;
  }
}

/** One run of a turn: the journal with which the next one begins, or undefined at the end of the turn. */
async function* runOnce(
  run: WaitingRun,
  events: AsyncGenerator<SkillEvent, void, void>,
  progress: { yielded: number },
): AsyncGenerator<SkillEvent, Journal | undefined, void> {
  for (let at = 0; ; at += 1) {
    await run.replay.beforePull();
    const next = await Promise.race([events.next(), run.parked]);
    if (next instanceof Journal) return next;
    await run.replay.afterPull();
    if (next.done === true) {
      if (run.replay.leftOver !== undefined) throw run.replay.leftOver;
      return undefined;
    }
    if (at < progress.yielded) continue;
    progress.yielded += 1;
    yield next.value;
  }
}

const TESTER: SkillPrincipal = { tenant: 'test', client: 'test' };

/** A context as the worker would hand it to a skill. */
export function aContext(input: SkillInput): SkillContext {
  const message = aMessage(input);
  const taskId = input.taskId ?? randomUUID();
  const turn = input.turn ?? 1;
  const test = new TestTurn(new TurnTime(input.nowMs ?? Date.now(), (input.coming ?? []).map(comingMessage)));
  const steps = input.steps ?? new Map<string, unknown>();
  const own = {
    state: stateOf(input.state ?? new Map<string, unknown>()),
    shared: sharedStateOf(input.contextState ?? new Map<string, unknown>()),
  };
  return {
    taskId,
    contextId: input.contextId ?? randomUUID(),
    turn,
    attempt: input.attempt ?? 1,
    idempotencyKey: `${taskId}:${String(turn)}`,
    messages: [message],
    senders: () => Promise.resolve([input.sender ?? input.principal ?? TESTER]),
    ...turnContent([message]),
    ...{ input: undefined, memory: {} },
    history: [...(input.history ?? []), message],
    metadata: input.metadata ?? {},
    acceptedOutputModes: input.acceptedOutputModes ?? [],
    principal: input.principal ?? TESTER,
    state: recorded(test, 'state', own.state),
    contextState: {
      ...recorded(test, 'contextState', own.shared),
      setIfAbsent: (name, value) =>
        asked(test, `contextState.setIfAbsent ${name}`, () => own.shared.setIfAbsent(name, value)),
    },
    signal: input.signal ?? new AbortController().signal,
    ...(input.deadline === undefined ? {} : { deadline: input.deadline }),
    log: { info: () => undefined, warn: () => undefined },
    fetch: async (url, request = {}) => (input.fetch ?? noFetch)(String(url), request),
    step: journalIn(test, steps),
    ...{ [LIVE_STEP]: journalIn(test, steps, true) },
    sleep: (ms) => test.run.sleep(ms),
    waitFor: (options) => test.run.waitFor(options),
    ...{ now: () => test.run.now(), random: () => test.run.random() },
    ...skillCalls((group) => childrenOf(test, group, input.children ?? {})),
    ...{ [TURN]: test },
  };
}

async function childrenOf(
  test: TestTurn,
  group: CallGroup,
  children: Readonly<Record<string, ChildAnswer>>,
): Promise<readonly CallOutcome[]> {
  const what = `${group.kind} ${JSON.stringify(group.calls)}`;
  const outcomes = () => Promise.all(group.calls.map((call) => childOutcome(call, children[call.skillId])));
  return (await asked(test, what, outcomes)) as readonly CallOutcome[];
}

async function childOutcome({ skillId, input }: CallSpec, answer: ChildAnswer | undefined): Promise<CallOutcome> {
  if (answer === undefined) return { why: 'unknown-skill', text: `the test has no child "${skillId}"` };
  try {
    const value = await answer(input);
    const part = typeof value === 'string' ? { text: value } : { data: value };
    return { taskId: randomUUID(), artifacts: [{ artifactId: 'result', parts: [part] }], message: [] };
  } catch (error) {
    if (error instanceof CallFailed) return { why: error.why, text: error.message };
    throw error;
  }
}

function aMessage({ text, data = [], parts = [], messageMetadata, memory }: SkillInput): Message {
  const lent = memory === undefined ? undefined : { [CONTEXT_EXTENSION]: { memory } };
  return {
    messageId: randomUUID(),
    role: 'ROLE_USER',
    parts: [...(text === undefined ? [] : [{ text }]), ...data.map((value) => ({ data: value })), ...parts],
    ...(messageMetadata === undefined && lent === undefined ? {} : { metadata: { ...messageMetadata, ...lent } }),
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

function noFetch(url: string): never {
  throw new RequestFailed('blocked', `The test gives no answer for ${url}: give it \`fetch\``);
}

function journalIn(test: TestTurn, results: Map<string, unknown>, isLive = false): SkillContext['step'] {
  return async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const stepped = async (): Promise<object> => {
      if (!results.has(name)) results.set(name, asStored(await work()));
      return { value: results.get(name) };
    };
    return (await test.run.replay.ask(`step ${name}`, stepped, () => results.get(name), isLive)) as T;
  };
}

/** Reads and writes that a repeated run does not do again. */
function recorded(test: TestTurn, target: string, { get, set }: SkillState): SkillState {
  return {
    get: (name) => asked(test, `${target}.get ${name}`, () => get(name)),
    set: async (name, value) => {
      await asked(test, `${target}.set ${name}`, () => set(name, value));
    },
  };
}

function asked(test: TestTurn, what: string, work: () => Promise<unknown>): Promise<unknown> {
  const answer = async (): Promise<object> => {
    const value = await work();
    return value === undefined ? {} : { value, json: JSON.stringify(value) };
  };
  return test.run.replay.ask(what, answer, (json) => (json === undefined ? undefined : (JSON.parse(json) as unknown)));
}

function comingMessage({ atMs, signal, ...said }: Coming): ComingMessage {
  return { atMs, message: aMessage({ ...said, ...(signal === undefined ? {} : { messageMetadata: { signal } }) }) };
}

/** The value after JSON, as from storage, so that a test sees the effect on a Date or a Map. */
function asStored(value: unknown): unknown {
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);
}
