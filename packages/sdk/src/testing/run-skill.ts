import { invalidParams } from '@parley/protocol/model/errors.js';
import { HostedContext } from '../skill/context/hosted-context.js';
import { hostOf } from '../skill/context/skill-host.js';
import { ContractedSkill } from '../skill/contract/contracted-skill.js';
import { readInput } from '../skill/contract/skill-input.js';
import type { Content, SkillEvent } from '../skill/events.js';
import { Journal } from '../skill/replay/journal.js';
import {
  idOf,
  type SkillContext,
  type SkillHandler,
  type SkillOptions,
  skillOptionsOf,
  type SkillPrincipal,
} from '../skill/skill.js';
import type { Catalog } from '../skill/start-check.js';
import { transferred } from '../skill/calls/transfer-path.js';
import { answersFrom, inOrder } from './answers.js';
import type { SkillUnderTest } from './child-answer.js';
import { childOf, type TestTree } from './doubles/test-children.js';
import { aMessage, comingMessage } from './doubles/test-message.js';
import { idsOf } from './doubles/test-values.js';
import { onceEach } from './recorded-run.js';
import { assertStartable, optionsOfChild, testCatalog } from './startable.js';
import { testHost } from './test-host.js';
import type { SkillInput } from './test-input.js';
import { TestTurn, TurnTime, type WaitingRun } from './waiting-run.js';

/** The turn of a context that `aContext` has made. */
export function turnOf(context: SkillContext): TestTurn | undefined {
  const host = hostOf(context);
  return 'test' in host && host.test instanceof TestTurn ? host.test : undefined;
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
  const given = typeof input === 'string' ? { text: input } : input;
  return runIn(aContext(given), skill, given.deploy);
}

/**
 * Runs one turn in a context that the test has made with `aContext`.
 * @param deploy the skill from the second run of the turn on
 */
export async function* runIn(
  context: SkillContext,
  skill: SkillUnderTest,
  deploy: SkillUnderTest = skill,
): AsyncGenerator<SkillEvent, void, void> {
  const turn = turnOf(context);
  const [first, second] = [skill, deploy].map((one) => contracted(one, turn?.catalog));
  if (first === undefined || second === undefined) return;
  const { options } = first;
  const [message] = context.history;
  const read = message && (await readInput(options, { message, metadata: context.metadata }));
  if (read?.kind === 'violations') {
    throw invalidParams(read.violations);
  }
  if (turn === undefined) return yield* first.handler.run(context);
  turn.shared.reducers = options.reducers ?? {};
  turn.transfers ??= [
    transferred(
      options.id,
      context.messages.flatMap(({ parts }) => parts),
    ),
  ];
  yield* runTurn(turn, () => (turn.runs > 1 ? second : first).handler.run(context));
}

/** A skill with its contract around it. @throws Error where a start would refuse it */
function contracted(
  skill: SkillUnderTest,
  catalog: Catalog = testCatalog(
    () => [],
    () => undefined,
  ),
): { readonly options: SkillOptions; readonly handler: SkillHandler } {
  const handler = typeof skill === 'function' ? new skill() : skill;
  const options = skillOptionsOf(handler.constructor);
  if (options === undefined) {
    throw new Error(`${handler.constructor.name} has no @Skill`);
  }
  assertStartable(handler, catalog);
  return { options, handler: new ContractedSkill(options, handler) };
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
    const parked = yield* runOnce(turn, run, start(), progress);
    yield* turn.streamed();
    if (parked === undefined) return;
    journal = parked;
    yielded = progress.yielded;
  }
}

/** One run of a turn: the journal with which the next one begins, or undefined at the end of the turn. */
async function* runOnce(
  turn: TestTurn,
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
    yield* turn.streamed();
    yield next.value;
  }
}

const TESTER: SkillPrincipal = { tenant: 'test', client: 'test' };

/** A context as the worker would hand it to a skill. */
export function aContext(input: SkillInput): SkillContext {
  const message = aMessage(input);
  const ids = idsOf(input);
  const kept = {
    rounds: input.rounds ?? [],
    contextValues: input.contextValues ?? new Map<string, unknown>(),
    artifacts: input.artifacts ?? new Map<string, Content>(),
  };
  const history = [...(input.history ?? []), message];
  const tree = treeOf({ ...input, ...ids, ...kept });
  const test = testTurn({ ...input, history }, tree);
  const { principal = TESTER } = input;
  return new HostedContext(
    testHost(
      { test, tree },
      { ...input, ...kept, sender: input.sender ?? principal },
      {
        ...{ ...ids, messages: [message], history, principal },
        parentHistory: input.parentHistory ?? [],
        metadata: input.metadata ?? {},
        acceptedOutputModes: input.acceptedOutputModes ?? [],
        deadline: input.deadline,
      },
    ),
  );
}

/** The turn of the context: its time, its messages, and its children. */
function testTurn(input: SkillInput, tree: TestTree): TestTurn {
  const given = answersFrom(inOrder(tree.answers), input.sender ?? input.principal ?? TESTER);
  const answers = input.recorded === undefined ? given : onceEach(input.recorded.answer);
  const time = new TurnTime(input.nowMs ?? Date.now(), (input.coming ?? []).map(comingMessage), answers);
  return new TestTurn(time, input.crashAfter, {
    child: (call) => childOf(tree, call),
    transfers: input.transfers,
    shared: input.shared ?? new Map<string, unknown>(),
    history: input.history ?? [],
    catalog: testCatalog(
      () => [...Object.values(tree.children), ...(input.skills ?? [])].flatMap((one) => optionsOfChild(one) ?? []),
      (skill) => void (tree.children[idOf(skill)] ??= skill),
    ),
  });
}

/** The skills that the turn may call. */
function treeOf(input: SkillInput & Pick<SkillContext, 'rootId' | 'contextId'>): TestTree {
  const answers = inOrder(input.answers ?? []);
  const lent = lentBy(input, answers);
  return {
    children: { ...input.children },
    answers,
    stream: (skill, turn) => streamSkill(skill, { ...lent, ...turn }),
    outcome: input.recorded?.outcome,
  };
}

/** The parent's context as its children see it. */
function lentBy(
  input: SkillInput & Pick<SkillContext, 'rootId' | 'contextId'>,
  answers: TestTree['answers'],
): SkillInput {
  const {
    children = {},
    contextValues,
    appValues,
    principal,
    sender,
    nowMs,
    fetch,
    rootId,
    contextId,
    artifacts,
    models,
    rounds,
  } = input;
  const shared = { contextValues, appValues, principal, sender, nowMs, fetch, rootId, contextId, artifacts };
  const lent = { ...shared, children, answers, models, rounds };
  return Object.fromEntries(Object.entries(lent).filter(([, value]) => value !== undefined));
}
