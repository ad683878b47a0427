import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import type { Task } from '@parley/protocol/model/task.js';
import { agent } from '@parley/sdk/model/agent.js';
import { tool } from '@parley/sdk/model/function-tool.js';
import { askPerson } from '@parley/sdk/model/other-tools.js';
import type { ModelPort } from '@parley/sdk/model/model.port.js';
import { skill } from '@parley/sdk/model/skill-tool.js';
import { completed, type SkillEvent } from '@parley/sdk/skill/events.js';
import { Skill, type SkillContext, type SkillHandler } from '@parley/sdk/skill/skill.js';
import { runApp } from '../../kit/app/running-app.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { eventually } from '../../kit/run/eventually.js';

const CONVERSATIONS = 200;

@Skill({ id: 'find', name: 'Find', description: 'Finds a train.', tags: [] })
class FindSkill implements SkillHandler {
  async *run({ text }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    yield completed(`a train to ${text}`);
  }
}

@Skill({ id: 'brand_new', name: 'Brand new', description: 'Came with the deploy.', tags: [] })
class NewSkill implements SkillHandler {
  async *run(): AsyncGenerator<SkillEvent, void, void> {
    yield completed('new');
  }
}

/** Calls a function, a skill and a person in one reply, and then answers with the last of their results. */
function model(version: string): { readonly asked: { count: number }; readonly port: ModelPort } {
  const asked = { count: 0 };
  const calls = [
    { id: '1', name: 'mark', arguments: {} },
    { id: '2', name: 'find', arguments: { text: 'Lisbon' } },
    { id: '3', name: 'ask_person', arguments: { question: 'First or second class?' } },
  ];
  const port: ModelPort = {
    name: version,
    isLocal: true,
    complete: ({ messages }) => {
      asked.count += 1;
      const isAnswer = messages.at(-1)?.role === 'tool';
      const said = messages.slice(-3).map(({ text }) => text);
      const text = isAnswer ? `${version}: ${said.join(', ')}` : '';
      return Promise.resolve({
        text,
        toolCalls: isAnswer ? [] : calls,
        usage: { input: 1, output: 1 },
        finish: 'stop',
      });
    },
  };
  return { asked, port };
}

const about = { id: 'desk', description: 'Books trains.' };
const mark = tool({ name: 'mark', description: 'Marks it.', effects: 'none', run: async () => 'marked' });

it(`${String(CONVERSATIONS)} conversations that wait continue over a deploy with another prompt, other tools and a new skill (F1, LLM-03)`, async () => {
  const variables = { KEY_PREFIX: `test-${randomUUID()}`, DEFAULT_SKILL: 'desk' };
  const [before, after] = [model('before'), model('after')];
  const Desk = agent({ ...about, instruction: 'Be brief.', tools: [mark, skill(FindSkill), askPerson()] });
  const first = await runApp(variables, { skills: [Desk, FindSkill], model: { port: before.port } });
  const client = new RpcClient(first.url);
  const ids: string[] = [];
  for (let at = 0; at < CONVERSATIONS; at += 20) {
    const tasks = await Promise.all(
      Array.from({ length: 20 }, () =>
        client.task('SendMessage', { ...aMessage('To Lisbon'), configuration: { returnImmediately: true } }),
      ),
    );
    ids.push(...tasks.map(({ id }) => id));
  }
  const inState = (from: RpcClient, state: Task['status']['state']) =>
    eventually(
      async () => {
        const states = await Promise.all(ids.map(async (id) => (await from.task('GetTask', { id })).status.state));
        expect(states.filter((one) => one !== state)).toEqual([]);
      },
      { timeoutMs: 120_000, intervalMs: 500 },
    );
  await inState(client, 'TASK_STATE_INPUT_REQUIRED');
  await first.close();
  expect(before.asked.count).toBe(CONVERSATIONS);

  // The function and the question are gone, and the skill is called only when that is approved.
  const tools = [skill(NewSkill), skill(FindSkill, { approval: true })];
  const Deployed = agent({ ...about, instruction: 'Be quite different, and polite.', tools });
  const skills = [Deployed, FindSkill, NewSkill];
  const second = await runApp(variables, { skills, model: { port: after.port } });
  const other = new RpcClient(second.url);
  for (let at = 0; at < CONVERSATIONS; at += 20) {
    const some = ids.slice(at, at + 20);
    const answer = (taskId: string) => {
      const { message } = aMessage('second');
      return other.call('SendMessage', {
        ...{ message: { ...message, taskId }, configuration: { returnImmediately: true } },
      });
    };
    await Promise.all(some.map(answer));
  }
  await inState(other, 'TASK_STATE_COMPLETED');
  expect(after.asked.count).toBe(CONVERSATIONS);
  const { artifacts } = await other.task('GetTask', { id: ids[0] });
  expect(JSON.stringify(artifacts)).toContain('after: marked, a train to Lisbon, second');
  await second.close();
}, 300_000);
