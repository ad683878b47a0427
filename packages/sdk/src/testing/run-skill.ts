import type { JsonObject } from '@parley/protocol/model/json.js';
import { invalidParams } from '@parley/protocol/model/errors.js';
import type { Message } from '@parley/protocol/model/message.js';
import type { ReferencedTask } from '../skill/artifacts/skill-artifacts.js';
import type { Content, SkillEvent } from '../skill/events.js';
import { artifactsOf } from './doubles/test-artifacts.js';
import { ContractedSkill } from '../skill/contract/contracted-skill.js';
import { readInput } from '../skill/contract/skill-input.js';
import {
  type SkillClass,
  type SkillContext,
  type SkillOptions,
  skillOptionsOf,
  type SkillPrincipal,
  type SkillSender,
} from '../skill/skill.js';
import { assertStartable } from './startable.js';
import { skillCalls } from '../skill/calls/skill-calls.js';
import { type Transferred, transferred } from '../skill/calls/transfer-path.js';
import { LIVE_STEP, RUN_OF } from '../skill/live-step.js';
import type { SkillRequest } from '../skill/requests/skill-request.js';
import { aMessage, type Coming, comingMessage, type Said } from './doubles/test-message.js';
import { type TestTools, toolsIn } from './doubles/test-tools.js';
import { skillAsk } from '../skill/questions/ask.js';
import type { Ask } from '../skill/questions/question.js';
import { type AnswerSource, answersFrom, inOrder } from './answers.js';
import { Journal } from '../skill/replay/journal.js';
import { turnContent } from '../skill/content/turn-content.js';
import type { ChildAnswer, SkillUnderTest } from './child-answer.js';
import { onceEach, type RecordedRun } from './recorded-run.js';
import { childOf, childrenOf, type TestTree } from './doubles/test-children.js';
import { idsOf, journalIn, noFetch, statesOf } from './doubles/test-values.js';
import { type CrashAfter, TestTurn, TurnTime, type WaitingRun } from './waiting-run.js';

/** The input of a test run: a text, or any members of a turn. The rest is filled in. */
export interface SkillInput extends Said {
  readonly taskId?: string;
  readonly rootId?: string;
  readonly contextId?: string;
  /** Metadata of the request that created the task. */
  readonly metadata?: JsonObject;
  /** The messages before this turn. */
  readonly history?: readonly Message[];
  /** History that the parent of a called skill passes on. */
  readonly parentHistory?: readonly Message[];
  /** The ended tasks that the message refers to. */
  readonly references?: readonly ReferencedTask[];
  /** Targets of references: those of `artifacts.put` are added. */
  readonly artifacts?: Map<string, Content>;
  readonly turn?: number;
  readonly attempt?: number;
  readonly acceptedOutputModes?: readonly string[];
  /** The caller that began the task, and unless `sender` says otherwise the one that sent this turn's message. */
  readonly principal?: SkillPrincipal;
  /** The sender of this turn's message. */
  readonly sender?: SkillSender;
  readonly signal?: AbortSignal;
  readonly deadline?: Date;
  /** Kept by the caller, so that a test can inspect it or pass it to the next turn. */
  readonly state?: Map<string, unknown>;
  readonly contextState?: Map<string, unknown>;
  /** Values that operators have set for the tenant: `app:` in `context.shared`. */
  readonly appValues?: ReadonlyMap<string, unknown>;
  /** Shared values of the tree: those that the turn begins with, and then those that it leaves. */
  readonly shared?: Map<string, unknown>;
  /** Messages that come while the skill waits. */
  readonly coming?: readonly Coming[];
  /** The time at the start of the turn, ms since 1970. It passes only while the skill waits, and then at once. */
  readonly nowMs?: number;
  /** Called skills by their ids: their answers, or skills that are run. */
  readonly children?: Readonly<Record<string, ChildAnswer | SkillUnderTest>>;
  /** Loses the run after this many results of its journal, or after each one, and runs the turn again from its journal. */
  readonly crashAfter?: CrashAfter;
  /** Answers `context.fetch`; without it a request fails. */
  readonly fetch?: (url: string, request: SkillRequest) => Response | Promise<Response>;
  /** Answers `context.tools`, by `server/tool`: a result, or a function of the arguments. Without it a call fails. */
  readonly tools?: TestTools;
  /** Callers' answers to the questions of the skill, in their order, or by question; undefined: no answer comes in time. */
  readonly answers?: AnswerSource;
  /** The hand-overs of the conversation that led to this turn. */
  readonly transfers?: readonly Transferred[];
  /** Answers from a recorded run of the turn: come before `children` and `answers` (`parley ops trace replay`). */
  readonly recorded?: RecordedRun;
  /** Results of `step` by name; give the map of a run that "crashed" to try the re-run. */
  readonly steps?: Map<string, unknown>;
}

const TURN = Symbol('The turn that a context of a test belongs to');

/** The turn of a context that `aContext` has made. */
export function turnOf(context: SkillContext): TestTurn | undefined {
  const turn: unknown = Reflect.get(context, TURN);
  return turn instanceof TestTurn ? turn : undefined;
}

/**
 * Runs one turn of a skill without any server and returns the events that it yields; rethrows its errors. Contracts are
 * kept as in the service: throws `A2AError` InvalidParams for input that does not fit, InvalidAgentResponse for output.
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
  assertStartable(handler, turnOf(context)?.skills ?? []);
  const [first] = context.history;
  const read = first && (await readInput(options, { message: first, metadata: context.metadata }));
  if (read?.kind === 'violations') {
    throw invalidParams(read.violations);
  }
  const contracted = new ContractedSkill(options, handler);
  const turn = turnOf(context);
  if (turn !== undefined) turn.shared.reducers = options.reducers ?? {};
  if (turn !== undefined)
    turn.transfers ??= [
      transferred(
        options.id,
        context.messages.flatMap(({ parts }) => parts),
      ),
    ];
  if (turn !== undefined) yield* runTurn(turn, () => contracted.run(context));
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
    const next = await Promise.race([events.next(), run.parked]).catch((error: unknown) => {
      if (run.isLost) return run.parked;
      throw error;
    });
    if (next instanceof Journal) return next;
    if (run.isLost) return run.parked;
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

const SILENT: SkillContext['log'] = { info: () => undefined, warn: () => undefined };

/** A context as the worker would hand it to a skill. */
export function aContext(input: SkillInput): SkillContext {
  const message = aMessage(input);
  const ids = idsOf(input);
  const contextState = input.contextState ?? new Map<string, unknown>();
  const artifacts = input.artifacts ?? new Map<string, Content>();
  const test = testTurn({ ...input, ...ids, contextState, artifacts, history: [...(input.history ?? []), message] });
  return {
    ...{ ...ids, messages: [message], input: undefined, memory: {}, ...turnContent([message]) },
    ...saidOf(input, message),
    ...artifactsOf(test, ids, { ...input, artifacts }),
    ...statesOf(test, { ...input, contextState }),
    ...{ signal: input.signal ?? new AbortController().signal, log: SILENT },
    ...(input.deadline === undefined ? {} : { deadline: input.deadline }),
    fetch: async (url, request = {}) => (input.fetch ?? noFetch)(String(url), request),
    ...waitingPart(test, input),
    get tools() {
      return toolsIn(test, this, input.tools);
    },
    get publish() {
      return test.publish;
    },
    get call() {
      return test.calls.call;
    },
    get transfer() {
      return test.calls.transfer;
    },
    get all() {
      return test.calls.all;
    },
    get map() {
      return test.calls.map;
    },
    get first() {
      return test.calls.first;
    },
    ...{ [TURN]: test },
  };
}

/** Messages, with their senders. */
function saidOf(
  { sender, principal = TESTER, history = [], parentHistory = [], metadata = {}, acceptedOutputModes = [] }: SkillInput,
  message: Message,
): Pick<SkillContext, 'senders' | 'history' | 'parentHistory' | 'metadata' | 'principal' | 'acceptedOutputModes'> {
  const senders = () => Promise.resolve([sender ?? principal]);
  return { senders, history: [...history, message], parentHistory, metadata, principal, acceptedOutputModes };
}

/** The turn of the context: its time, its messages, and its children. */
function testTurn(input: SkillInput & Pick<SkillContext, 'rootId' | 'contextId'>): TestTurn {
  const source = inOrder(input.answers ?? []);
  const given = answersFrom(source, input.sender ?? input.principal ?? TESTER);
  const answers = input.recorded === undefined ? given : onceEach(input.recorded.answer);
  const time = new TurnTime(input.nowMs ?? Date.now(), (input.coming ?? []).map(comingMessage), answers);
  const lent = lentBy(input, source);
  const tree: TestTree = {
    children: input.children ?? {},
    answers: source,
    stream: (skill, turn) => streamSkill(skill, { ...lent, ...turn }),
    outcome: input.recorded?.outcome,
  };
  return new TestTurn(time, input.crashAfter, {
    calls: (turn) => skillCalls((group) => childrenOf(turn, group, tree), askIn(turn)),
    child: (call) => childOf(tree, call),
    transfers: input.transfers,
    shared: input.shared ?? new Map<string, unknown>(),
    history: input.history ?? [],
    skills: Object.values(input.children ?? {}).flatMap((child) => optionsOf(child) ?? []),
  });
}

/** The options of a child that is a skill; undefined for an answer. */
function optionsOf(child: ChildAnswer | SkillUnderTest): SkillOptions | undefined {
  return skillOptionsOf((typeof child === 'function' ? child : child.constructor) as SkillClass);
}

function waitingPart(
  test: TestTurn,
  { steps = new Map<string, unknown>() }: SkillInput,
): Pick<SkillContext, 'step' | 'sleep' | 'waitFor' | 'ask' | 'now' | 'random'> {
  return {
    step: journalIn(test, steps),
    ...{ [LIVE_STEP]: () => journalIn(test, steps, true), [RUN_OF]: () => test.run },
    sleep: (ms) => test.run.sleep(ms),
    waitFor: (options) => test.run.waitFor(options),
    now: () => test.run.now(),
    random: () => test.run.random(),
    ask: askIn(test),
  };
}

function askIn(test: TestTurn): Ask {
  return skillAsk((question, until) => test.run.ask(question, until));
}

/** The parent's context as its children see it. */
function lentBy(input: SkillInput & Pick<SkillContext, 'rootId' | 'contextId'>, answers: AnswerSource): SkillInput {
  const {
    children = {},
    contextState,
    appValues,
    principal,
    sender,
    nowMs,
    fetch,
    rootId,
    contextId,
    artifacts,
  } = input;
  const shared = { contextState, appValues, principal, sender, nowMs, fetch, rootId, contextId, artifacts };
  const lent = { ...shared, children, answers };
  return Object.fromEntries(Object.entries(lent).filter(([, value]) => value !== undefined));
}
