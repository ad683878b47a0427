import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AgentCard } from '@parley/protocol/model/agent-card.js';
import { QUESTIONS_EXTENSION } from '@parley/protocol/extension/questions.js';
import type { Task } from '@parley/protocol/model/task.js';
import { definitionIn } from '../../../src/remote-agents/directory/exposed-skill.js';
import { remote } from '@parley/sdk/skill/calls/remote.js';
import { artifact, inputRequired, type SkillEvent, working } from '@parley/sdk/skill/events.js';
import { Skill, type SkillContext, SkillFailure, type SkillHandler } from '@parley/sdk/skill/skill.js';
import { HttpDoor } from '../../kit/stubs/http-door.js';
import { eventually } from '../../kit/run/eventually.js';
import { McpClient } from '../../kit/callers/mcp-client.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';

/** The other agent: does what its message says. */
@Skill({ id: 'finance', name: 'Finance', description: 'Does what it is told.', tags: ['test'] })
class FinanceSkill implements SkillHandler {
  async *run(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const { text, turn, sleep, history, contextId } = context;
    if (turn > 1) yield artifact('answer', `${text} in turn ${String(turn)}`);
    else if (text === 'ask') yield inputRequired('How much?');
    else if (text === 'fail') throw new SkillFailure('no money');
    else if (text === 'wait') await sleep(60_000);
    else if (text.startsWith('login ')) yield* logins(context, text.split(' ').slice(1));
    else if (text.startsWith('slow ')) await sleep(Number(text.slice(5)));
    else {
      yield working('counting');
      await sleep(100);
      yield artifact('sum', `${text} counted`, { name: 'Sum' });
      yield artifact('meta', [{ data: { ...history[0]?.metadata, contextId } }]);
    }
  }
}

/** Waits for logins one after the other; each is seen as a message with its name. */
async function* logins(
  { ask, waitFor }: SkillContext,
  names: readonly string[],
): AsyncGenerator<SkillEvent, void, void> {
  for (const name of names) {
    await ask({ auth: true, question: `Log in at ${name}`, until: waitFor({ signal: name }) });
    yield working(`has ${name}`);
  }
  yield artifact('answer', 'logged in');
}

/** Hands its message on to another agent, named by its first word. */
@Skill({ id: 'ask_others', name: 'Asks others', description: 'Calls another agent.', tags: ['test'] })
class AskOthersSkill implements SkillHandler {
  async *run({ text, call }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const [name = '', ...rest] = text.split(' ');
    const result = await call(remote(name), rest.join(' '));
    yield artifact('result', [{ text: result.text }, { data: result.data[0] ?? null }]);
  }
}

/** Callbacks of the other agent come here. */
let door: HttpDoor;
let theirs: RunningApp;
let ours: RunningApp;
let folder: string;
let client: RpcClient;
let theirClient: RpcClient;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-remote-'));
  door = await new HttpDoor().listen();
  theirs = await runApp({ EGRESS_ALLOW: `${door.host}=127.0.0.1/32!http` }, { skills: [FinanceSkill, AskOthersSkill] });
  const card = (await (await fetch(`${theirs.url}/.well-known/agent-card.json`)).json()) as AgentCard;
  const definition = definitionIn(card, 'finance');
  const file = join(folder, 'agents.json');
  const nowhere = { card: 'http://127.0.0.1:9', timeoutMs: 1500 };
  await writeFile(
    file,
    JSON.stringify({
      finance: { card: theirs.url, skill: 'finance', expose: { finance: { definition } } },
      changed: {
        card: theirs.url,
        expose: { finance: { as: 'changed', definition: { ...definition, description: 'Gives money away.' } } },
      },
      polled: { card: theirs.url, skill: 'finance', mode: 'poll' },
      nowhere,
      moved: { card: theirs.url, signature: 'required' },
    }),
  );
  const { host } = new URL(theirs.url);
  const allow = [host, '127.0.0.1:9'].map((one) => `${one}=127.0.0.1/32!http`).join(';');
  const variables = { AGENTS_FILE: file, EGRESS_ALLOW: allow, PUBLIC_URL: door.url, MCP: 'true' };
  ours = await runApp(variables, { skills: [AskOthersSkill] });
  door.target = ours.url;
  client = new RpcClient(ours.url);
  theirClient = new RpcClient(theirs.url);
});

afterAll(async () => {
  await ours.close();
  await theirs.close();
  await door.close();
  await rm(folder, { recursive: true, force: true });
});

const begin = (text: string): Promise<Task> =>
  client.task('SendMessage', {
    ...aMessage(text, { skillId: 'ask_others' }),
    configuration: { returnImmediately: true },
  });

async function settled(id: string, state: string): Promise<Task> {
  return eventually(
    async () => {
      const task = await client.task('GetTask', { id });
      expect(task.status.state).toBe(`TASK_STATE_${state}`);
      return task;
    },
    { timeoutMs: 15_000 },
  );
}

async function theirTasks(): Promise<readonly Task[]> {
  const { result } = await theirClient.call('ListTasks', { historyLength: 10 });
  return (result as unknown as { tasks: readonly Task[] }).tasks;
}

describe('agents of other services', () => {
  it('O-60, O-61, SEED-60: runs a call as a task there, mirrored here, with a message id of its own', async () => {
    const task = await begin('finance 40');
    const { artifacts } = await settled(task.id, 'COMPLETED');
    expect(artifacts?.[0]?.parts[0]).toEqual({ text: '40 counted' });
    const mine = (await theirTasks()).filter(({ history }) => JSON.stringify(history).includes('"40"'));
    expect(mine).toHaveLength(1);
    expect(mine[0]?.history?.[0]?.messageId).toMatch(/^[0-9a-f-]{36}:1$/);
    expect(artifacts?.[0]?.parts[1]).toMatchObject({
      data: {
        skillId: 'finance',
        'urn:parley:extension:delegation:1': { depthLeft: 7, path: [expect.stringContaining(theirs.url)] },
      },
    });
  });

  it('O-55: goes on in the context of the other agent', async () => {
    const first = await settled((await begin('finance 1')).id, 'COMPLETED');
    const message = { ...aMessage('finance 2', { skillId: 'ask_others' }).message, contextId: first.contextId };
    const second = await settled((await client.task('SendMessage', { message })).id, 'COMPLETED');
    const contextOf = ({ artifacts }: Task): unknown =>
      (artifacts?.[0]?.parts[1] as { data: { contextId: string } }).data.contextId;
    expect(contextOf(second)).toBe(contextOf(first));
  });

  it('O-41: its question comes up, and the answer goes down to the same task', async () => {
    const task = await begin('finance ask');
    const asking = await settled(task.id, 'INPUT_REQUIRED');
    expect(JSON.stringify(asking.status.message)).toContain('How much?');
    await client.task('SendMessage', { message: { ...aMessage('12').message, taskId: task.id } });
    const { artifacts } = await settled(task.id, 'COMPLETED');
    expect(artifacts?.[0]?.parts[0]).toEqual({ text: '12 in turn 2' });
  });

  it('O-87: its failure, its absence and an unknown agent fail the call, each with its reason', async () => {
    const failed = await settled((await begin('finance fail')).id, 'FAILED');
    expect(JSON.stringify(failed.status.message)).toContain('The agent finance failed: no money');
    const unknown = await settled((await begin('nobody x')).id, 'FAILED');
    expect(JSON.stringify(unknown.status.message)).toContain('there is no skill \\"remote:nobody\\"');
    const absent = await settled((await begin('nowhere x')).id, 'FAILED');
    expect(JSON.stringify(absent.status.message)).toContain('could not be reached');
    const unsigned = await settled((await begin('moved x')).id, 'FAILED');
    expect(JSON.stringify(unsigned.status.message)).toContain('not signed by a pinned key');
  });

  it('a cancel reaches the task of the other agent', async () => {
    const task = await begin('finance wait');
    const theirsId = await eventually(async () => {
      const found = (await theirTasks()).find(
        ({ history, status }) => status.state === 'TASK_STATE_WORKING' && JSON.stringify(history).includes('"wait"'),
      );
      expect(found).toBeDefined();
      return found?.id;
    });
    // Noted before the cancel: what has begun there is known here.
    await client.task('CancelTask', { id: task.id });
    await eventually(
      async () => {
        expect((await theirClient.task('GetTask', { id: theirsId })).status.state).toBe('TASK_STATE_CANCELED');
      },
      { timeoutMs: 10_000 },
    );
  });

  describe('that wait for a login', () => {
    /** The task there, once a task here shows its login. */
    const waiting = async (task: Task, login: string): Promise<Task> => {
      await eventually(
        async () => {
          const { status } = await client.task('GetTask', { id: task.id });
          expect(status).toMatchObject({ state: 'TASK_STATE_AUTH_REQUIRED' });
          expect(JSON.stringify(status.message)).toContain(`Log in at ${login}`);
        },
        { timeoutMs: 15_000 },
      );
      const found = (await theirTasks()).find(({ status }) => JSON.stringify(status).includes(`at ${login}`));
      if (found === undefined) throw new Error(`nobody waits for ${login}`);
      return found;
    };
    const logIn = ({ id }: Task, name: string): Promise<unknown> =>
      theirClient.call('SendMessage', { message: { ...aMessage('logged in', { signal: name }).message, taskId: id } });

    it.each(['finance', 'polled'])('A2A-TASKAUTH-02: go on here when they do there (%s)', async (agent) => {
      const [one, two] = [`${agent}-one`, `${agent}-two`];
      const task = await begin(`${agent} login ${one} ${two}`);
      await logIn(await waiting(task, one), one);
      const theirsTask = await waiting(task, two);
      await logIn(theirsTask, two);
      const { artifacts } = await settled(task.id, 'COMPLETED');
      expect(artifacts?.[0]?.parts[0]).toEqual({ text: 'logged in' });
      const { history = [] } = await theirClient.task('GetTask', { id: theirsTask.id, historyLength: 20 });
      // No message of this service but the first one.
      expect(history.filter(({ messageId }) => /^[0-9a-f-]{36}:1/.test(messageId))).toHaveLength(1);
    });

    it('A2A-TASKAUTH-03: end once when their caller answers in the moment in which they go on', async () => {
      const ends = Array.from({ length: 8 }, async (_unused, at) => {
        const name = `race-${String(at)}`;
        const task = await begin(`finance login ${name}`);
        const there = await waiting(task, name);
        const { status } = await client.task('GetTask', { id: task.id });
        const entry = status.message?.metadata?.[QUESTIONS_EXTENSION] as { questions: readonly { id: string }[] };
        // Named, so that it is refused when it is too late.
        const named = { [QUESTIONS_EXTENSION]: { questionId: entry.questions[0]?.id } };
        const answer = { message: { ...aMessage('I have', named).message, taskId: task.id } };
        await Promise.all([logIn(there, name), client.call('SendMessage', answer)]);
        await settled(task.id, 'COMPLETED');
      });
      await Promise.all(ends);
    });

    it('are canceled from here, and end here when they are canceled there', async () => {
      const [ourEnd, theirEnd] = [await begin('finance login from-here'), await begin('finance login from-there')];
      const [here, there] = [await waiting(ourEnd, 'from-here'), await waiting(theirEnd, 'from-there')];
      await client.task('CancelTask', { id: ourEnd.id });
      await theirClient.task('CancelTask', { id: there.id });
      const failed = await settled(theirEnd.id, 'FAILED');
      expect(JSON.stringify(failed.status.message)).toContain('The agent finance canceled its task');
      await eventually(
        async () => {
          expect((await theirClient.task('GetTask', { id: here.id })).status.state).toBe('TASK_STATE_CANCELED');
        },
        { timeoutMs: 10_000 },
      );
    });
  });

  it('O-63, O-68, O-83: is followed by webhook where its card has such, and callbacks that are forged wake nothing', async () => {
    const task = await begin('finance slow 600');
    const callback = await eventually(() => {
      const [first] = door.passed.filter(({ body }) => body.includes('slow 600') || body.includes('COMPLETED'));
      expect(first?.status).toBe(202);
      return first;
    });
    await settled(task.id, 'COMPLETED');
    const { path = '', headers = {}, body = '' } = callback ?? {};
    const forged = [
      { path, headers: { 'content-type': 'application/json' }, body },
      { path, headers: { ...headers, authorization: 'Bearer x', 'x-a2a-notification-token': 'x' }, body },
      { path: `/callbacks/${task.id}`, headers, body },
      { path, headers, body: `"${'x'.repeat(70_000)}"` },
      // The task has ended.
      { path, headers, body },
    ];
    for (const one of forged) expect(await door.send(one)).toBe(404);
  });

  it('O-63: is polled where the operator wants it so', async () => {
    await settled((await begin('polled 4711')).id, 'COMPLETED');
    expect(door.passed.some(({ body }) => body.includes('4711'))).toBe(false);
  });

  it('is in no card, and no caller can name it', async () => {
    const card = await (await fetch(`${ours.url}/.well-known/agent-card.json`)).text();
    expect(card).not.toContain('remote:');
    const { error } = await client.call('SendMessage', aMessage('x', { skillId: 'remote:finance' }));
    expect(error?.code).toBe(-32602);
  });

  it('MCP-BRIDGE-1: a skill that the operator shows is a tool for MCP and a skill for A2A, one task here for each task there', async () => {
    const host = new McpClient(ours.url, {}, { elicitation: { form: {} } });
    const { tools } = (await host.result('tools/list')) as { tools: readonly { name: string; description: string }[] };
    expect(tools.find(({ name }) => name === 'finance__finance')?.description).toBe('Does what it is told.');
    const result = await host.call('finance__finance', { text: '41' });
    expect(result).toMatchObject({ content: [{ text: '41 counted' }, { text: expect.stringContaining('skillId') }] });
    const { 'parley/taskId': id } = result._meta as Record<string, string>;
    const task = await client.task('GetTask', { id });
    expect(task.artifacts?.map(({ artifactId }) => artifactId)).toEqual(['sum', 'meta']);
    const card = (await (await fetch(`${ours.url}/.well-known/agent-card.json`)).json()) as AgentCard;
    expect(card.skills.map((skill) => skill.id)).toEqual(['ask_others', 'finance__finance', 'changed']);
  });

  it('MCP-BRIDGE-1: its question is one of the tool, and its answer goes there', async () => {
    const host = new McpClient(ours.url, {}, { elicitation: { form: {} } });
    const asked = await host.call('finance__finance', { text: 'ask' });
    const [key = ''] = Object.keys(asked.inputRequests as object);
    const more = {
      inputResponses: { [key]: { action: 'accept', content: { answer: '12' } } },
      requestState: asked.requestState,
    };
    expect(await host.call('finance__finance', { text: 'ask' }, more)).toMatchObject({
      content: [{ text: '12 in turn 2' }],
    });
  });

  it('MCP-BRIDGE-1: nothing is sent to a skill that its card describes otherwise than the file', async () => {
    const before = (await theirTasks()).length;
    const result = await new McpClient(ours.url).call('changed', { text: 'x' });
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('differs from AGENTS_FILE') }],
    });
    expect(await theirTasks()).toHaveLength(before);
  });
});
