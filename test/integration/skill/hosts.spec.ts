import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { CONTEXT_EXTENSION } from '@parley/protocol/extension/context-extension.js';
import type { Message } from '@parley/protocol/model/message.js';
import type { SkillContext } from '@parley/sdk/skill/skill.js';
import { runSkill } from '@parley/sdk/testing/run-skill.js';
import { SkillRegistry } from '../../../src/skill/skill.registry.js';
import { SandboxedSkill } from '../../../src/skill/sandbox/sandboxed-skill.js';
import { DirectHosts } from '../../../src/operations/send/direct/direct-hosts.js';
import type { Call } from '../../../src/operations/call.js';
import { SandboxBuild } from '../../kit/skills/sandbox-build.js';
import { OWNER } from '../../kit/tasks/task-stores.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';
import { TreeBench } from '../../kit/tasks/tree-bench.js';
import { noPolicies } from '../../kit/tasks/turn-sources.js';
import { MembersSkill } from './members.fixture.js';

/** A sandbox is a process, which takes its time on a busy machine. */
jest.setTimeout(60_000);

const METADATA = { [CONTEXT_EXTENSION]: { caller: 'agent://desk', request_id: 'r1' } };
const MESSAGE: Message = {
  messageId: 'm1',
  role: 'ROLE_USER',
  parts: [{ text: 'hello' }, { data: { n: 1 } }, { url: 'https://files.example/a', mediaType: 'text/plain' }],
  metadata: METADATA,
};
const NOT_IN = (member: string) => `${member} is not supported in a direct skill, which has no task`;
/** The results of all members, by the kinds of hosts that have them. */
const EVERYWHERE = {
  senders: 1,
  'state.get': 'nothing',
  'state.set': 1,
  'shared context': 'kept',
  'shared.set': 2,
  'shared user': 'mine',
  'shared temp': 'fleeting',
  'shared app': 'Operators set the value "app:first": skills can only read it.',
  step: 'worked',
  sleep: 'slept',
  now: true,
  random: true,
  fetch: 'refused',
  'tools.call': 'The tool tool of server cannot be called: the skill does not declare it in `tools`',
  log: 'logged',
};
const IN_TASKS = {
  waitFor: 'nobody',
  ask: 'late',
  publish: 'published',
  'artifacts.put': 'a@1',
  'artifacts.get': 'nothing',
  'artifacts.references': 0,
  ...{
    call: 'unknown-skill',
    transfer: 'unknown-skill',
    all: 'unknown-skill',
    map: 'unknown-skill',
    first: 'unknown-skill',
  },
};
const WITHOUT_TASK = {
  waitFor: NOT_IN('waitFor()'),
  ask: NOT_IN('ask()'),
  publish: NOT_IN('publish()'),
  'artifacts.put': NOT_IN('artifacts.put()'),
  'artifacts.get': NOT_IN('artifacts.get()'),
  'artifacts.references': NOT_IN('artifacts.references()'),
  ...{
    call: NOT_IN('call()'),
    transfer: NOT_IN('call()'),
    all: NOT_IN('call()'),
    map: NOT_IN('call()'),
    first: NOT_IN('call()'),
  },
};

describe('the contexts of all hosts', () => {
  const stores = useTaskStores();
  let build: SandboxBuild;

  beforeAll(async () => {
    build = await SandboxBuild.of('test/integration/skill/members.fixture');
  });
  afterAll(() => build.remove());

  const inTest = async (skill = new MembersSkill()): Promise<string> =>
    lastText(await runSkill(skill, { parts: MESSAGE.parts, messageMetadata: METADATA }));

  const hosts: Readonly<Record<string, () => Promise<string>>> = {
    'a run': async () => {
      const bench = new TreeBench(stores.now, { members: (context: SkillContext) => new MembersSkill().run(context) });
      const id = await bench.root('members', { message: MESSAGE });
      await bench.settle();
      return bench.said(id);
    },
    'a direct answer': async () => {
      const { contexts, operatorValues } = stores.now;
      const direct = new DirectHosts(contexts, operatorValues, new SkillRegistry([]), noPolicies);
      const principal = { tenant: 'default', client: 'tests', scopes: [], method: 'local' } as const;
      const context = direct.contextOf({ message: MESSAGE }, { principal, owner: OWNER } as unknown as Call, {
        ...{ contextId: 'c1', signal: new AbortController().signal, deadline: new Date(Date.now() + 60_000) },
        skill: { id: 'members', name: 'Members', description: 'For tests', tags: [], direct: true },
      });
      const events = [];
      for await (const event of new MembersSkill().run(context)) events.push(event);
      return lastText(events);
    },
    'a sandbox': () => inTest(Object.assign(Object.create(MembersSkill.prototype) as MembersSkill, { run: boxed })),
    'a test': () => inTest(),
  };
  const boxed = (context: SkillContext) =>
    new SandboxedSkill(build.source(MembersSkill.name), build.options).run(context);

  it.each(Object.keys(hosts))('have the same members, with the same results: %s', async (name) => {
    const { facts, outcomes, inStep } = JSON.parse((await hosts[name]?.()) ?? '') as Readonly<Record<string, object>>;
    expect(facts).toMatchObject({
      ...{ text: 'hello', data: [{ n: 1 }], files: [{ url: 'https://files.example/a' }] },
      ...{ caller: 'agent://desk', requestId: 'r1', acceptedOutputModes: [], turn: 1, attempt: 1 },
    });
    expect(outcomes).toEqual({ ...EVERYWHERE, ...(name === 'a direct answer' ? WITHOUT_TASK : IN_TASKS) });
    const { senders, now, random, fetch, log, ...journaled } = inStep as Readonly<Record<string, string>>;
    expect({ senders, fetch, log }).toEqual({ senders: 1, fetch: 'refused', log: 'logged' });
    for (const [member, refusal] of Object.entries(journaled))
      expect([member, refusal]).toEqual([member, expect.stringContaining(`within the step "in ${member}"`)]);
  });
});

function lastText(events: readonly { readonly parts: readonly object[] }[]): string {
  const [part] = events.at(-1)?.parts ?? [];
  return part !== undefined && 'text' in part ? String(part.text) : '';
}
