import type { SkillHost, TurnFacts } from '../skill/context/skill-host.js';
import type { Content } from '../skill/events.js';
import type { SkillSender } from '../skill/skill.js';
import { skillTools } from '../skill/tools/skill-tools.js';
import { artifactsOf } from './doubles/test-artifacts.js';
import { childrenOf, type TestTree } from './doubles/test-children.js';
import { testModel } from './doubles/test-models.js';
import { testTools } from './doubles/test-tools.js';
import { journalIn, noFetch, valuesOf } from './doubles/test-values.js';
import type { SkillInput } from './test-input.js';
import type { TestTurn } from './waiting-run.js';

/** The input of a test run, with what the test does not give. */
type Given = SkillInput & {
  readonly sender: SkillSender;
  readonly contextValues: Map<string, unknown>;
  readonly artifacts: Map<string, Content>;
};

/** The host of a test: values are in maps of the test, its children answer at once, and time passes when the skill waits. */
export function testHost(
  { test, tree }: { readonly test: TestTurn; readonly tree: TestTree },
  { sender, fetch = noFetch, steps = new Map<string, unknown>(), tools = {}, rounds = [], earlier, ...input }: Given,
  facts: TurnFacts,
): SkillHost & { readonly test: TestTurn } {
  const { declared, servers } = testTools(tools);
  return {
    ...{ test, facts, kind: 'a test' },
    get run() {
      return test.run;
    },
    signal: input.signal ?? new AbortController().signal,
    senders: () => Promise.resolve([sender]),
    ...valuesOf(test, input),
    log: { info: () => undefined, warn: () => undefined },
    fetch: async (url, request = {}) => fetch(String(url), request),
    step: journalIn(test, steps),
    live: (event) => test.live(event),
    model: testModel(rounds, input.models),
    catalog: test.catalog,
    conversation: earlier && ((wanted) => Promise.resolve(earlier.slice(-2 * wanted.last))),
    sleep: (ms) => test.run.sleep(ms),
    waitFor: (options) => test.run.waitFor(options),
    now: () => test.run.now(),
    random: () => test.run.random(),
    ask: (question, until) => test.run.ask(question, until),
    calls: (group) => childrenOf(test, group, tree),
    publish: (publication, number) => test.publish(publication, number),
    artifacts: artifactsOf(test, facts.taskId, input),
    tools: (calling) => skillTools({ ...calling, declared, servers }),
  };
}
