import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Task } from '@parley/protocol/model/task.js';
import { remote } from '@parley/sdk/skill/calls/remote.js';
import { artifact, completed, inputRequired, type SkillEvent } from '@parley/sdk/skill/events.js';
import { Skill, type SkillContext, type SkillHandler } from '@parley/sdk/skill/skill.js';
import { eventually } from '../../kit/run/eventually.js';
import { HttpDoor } from '../../kit/stubs/http-door.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';

/** The other agent: asks as often as its first message says, each time by ending its turn. */
@Skill({ id: 'asks', name: 'Asks', description: 'For tests', tags: [] })
class AsksSkill implements SkillHandler {
  async *run({ turn, history, text }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    await Promise.resolve();
    const [first] = history;
    const part = turn === 1 ? { text } : first?.parts[0];
    const times = Number(part !== undefined && 'text' in part ? part.text : 0);
    if (turn <= times) yield inputRequired(`Question ${String(turn)}?`);
    else yield completed(`the last answer is ${text}`);
  }
}

/** Hands its message on to the other agent. */
@Skill({ id: 'parent', name: 'Parent', description: 'For tests', tags: [] })
class ParentSkill implements SkillHandler {
  async *run({ text, call }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    yield artifact('result', (await call(remote('other'), text)).text);
  }
}

describe('an answer for an agent of another service, whose response is lost', () => {
  let door: HttpDoor;
  let callbacks: HttpDoor;
  let theirs: RunningApp;
  let ours: RunningApp;
  let folder: string;
  let client: RpcClient;
  let theirClient: RpcClient;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-lost-'));
    door = await new HttpDoor().listen();
    callbacks = await new HttpDoor().listen();
    const allow = [door, callbacks].map(({ host }) => `${host}=127.0.0.1/32!http`).join(';');
    theirs = await runApp({ PUBLIC_URL: door.url, EGRESS_ALLOW: allow }, { skills: [AsksSkill] });
    door.target = theirs.url;
    const file = join(folder, 'agents.json');
    await writeFile(file, JSON.stringify({ other: { card: door.url, skill: 'asks' } }));
    ours = await runApp(
      { AGENTS_FILE: file, EGRESS_ALLOW: allow, PUBLIC_URL: callbacks.url },
      { skills: [ParentSkill] },
    );
    callbacks.target = ours.url;
    client = new RpcClient(ours.url);
    theirClient = new RpcClient(theirs.url);
  });

  afterAll(async () => {
    await ours.close();
    await theirs.close();
    await Promise.all([door.close(), callbacks.close()]);
    await rm(folder, { recursive: true, force: true });
  });

  const shows = (id: string, state: string, words: string): Promise<Task> =>
    eventually(
      async () => {
        const task = await client.task('GetTask', { id });
        expect([task.status.state, JSON.stringify(task)]).toEqual([state, expect.stringContaining(words)]);
        return task;
      },
      { timeoutMs: 30_000 },
    );

  async function theirTask(answer: string): Promise<Task> {
    const { result } = await theirClient.call('ListTasks', { historyLength: 20, includeArtifacts: true });
    const { tasks } = result as unknown as { readonly tasks: readonly Task[] };
    const [found, ...others] = tasks.filter(({ history }) => JSON.stringify(history).includes(answer));
    expect(others).toEqual([]);
    if (found === undefined) throw new Error(`no task has the answer ${answer}`);
    return found;
  }

  it.each([
    ['one question', 1],
    ['two questions in a row', 2],
    ['three questions in a row', 3],
  ])('answers its own question only, and the parent gets the end: %s (B1, A2A-SEND-14)', async (_what, count) => {
    const begin = aMessage(String(count), { skillId: 'parent' });
    const { id } = await client.task('SendMessage', { ...begin, configuration: { returnImmediately: true } });
    const answers = Array.from({ length: count }, (_unused, at) => `answer-${String(count)}-${String(at + 1)}`);
    for (const [at, answer] of answers.entries()) {
      await shows(id, 'TASK_STATE_INPUT_REQUIRED', `Question ${String(at + 1)}?`);
      const lost: string[] = [];
      door.loses = ({ body }) => {
        if (lost.length > 0 || !body.includes(answer)) return false;
        lost.push(body);
        return true;
      };
      const sent = { ...aMessage(answer, { taskId: id }), configuration: { returnImmediately: true } };
      await client.task('SendMessage', sent);
      // The mirror sends it again.
      await eventually(
        () => {
          expect(lost).toHaveLength(1);
          expect(door.passed.filter(({ body }) => body.includes(answer)).length).toBeGreaterThan(1);
        },
        { timeoutMs: 30_000 },
      );
    }
    const last = `the last answer is ${answers.at(-1) ?? ''}`;
    await shows(id, 'TASK_STATE_COMPLETED', last);
    const { status, history = [] } = await theirTask(`answer-${String(count)}-1`);
    expect([status.state, JSON.stringify(status.message)]).toEqual([
      'TASK_STATE_COMPLETED',
      expect.stringContaining(last),
    ]);
    const heard = history.filter(({ role }) => role === 'ROLE_USER').flatMap(({ parts }) => parts);
    expect(heard.slice(1)).toEqual(answers.map((text) => expect.objectContaining({ text })));
  });
});
