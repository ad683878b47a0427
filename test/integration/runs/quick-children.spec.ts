import { afterEach, describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { completed, type SkillEvent } from '@parley/sdk/skill/events.js';
import { Skill, type SkillContext, type SkillHandler } from '@parley/sdk/skill/skill.js';
import { CommandRedis } from '../../../src/platform/redis/connection/connections.js';
import { ActiveRuns } from '../../../src/runs/keeper/active-runs.js';
import { TaskKeys } from '../../../src/tasks/task.keys.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { eventually } from '../../kit/run/eventually.js';

/** Ends the runs of children that say 'held'. */
const held: (() => void)[] = [];

@Skill({ id: 'child', name: 'Child', description: 'For tests', tags: [] })
class ChildSkill implements SkillHandler {
  async *run({ text }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    if (text === 'held') await new Promise<void>((resolve) => held.push(resolve));
    yield completed(`${text} done`);
  }
}

/** Calls the child with each word, one after the other. */
@Skill({ id: 'parent', name: 'Parent', description: 'For tests', tags: [] })
class ParentSkill implements SkillHandler {
  async *run({ text, call }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const said: string[] = [];
    for (const word of text.split(' ')) said.push((await call('child', word)).text);
    yield completed(said.join());
  }
}

describe('a parent with quick children', () => {
  let app: RunningApp | undefined;

  const start = async (variables: Record<string, string> = {}): Promise<RpcClient> => {
    app = await runApp({ DEFAULT_SKILL: 'parent', ...variables }, { skills: [ChildSkill, ParentSkill] });
    return new RpcClient(app.url);
  };

  /** How the runs of a task ended, in order: '' for one in progress. */
  const runsOf = async (id: string): Promise<readonly string[]> => {
    const redis = app?.app.get<Redis>(CommandRedis);
    const fields = (await redis?.hgetall(new TaskKeys(app?.keyPrefix ?? '').task(id))) ?? {};
    const runs = Object.entries(fields).filter(([name]) => /^R\d+$/.test(name));
    return runs.sort(([a], [b]) => a.localeCompare(b)).map(([, text]) => text.split(' ')[5] ?? '');
  };

  const begin = (caller: RpcClient, text: string, skillId = 'parent') =>
    caller.task('SendMessage', { ...aMessage(text, { skillId }), configuration: { returnImmediately: true } });

  afterEach(async () => {
    for (const end of held.splice(0)) end();
    await app?.close();
  });

  it('goes on in the run that called them, without being parked', async () => {
    const caller = await start();
    const task = await caller.task('SendMessage', aMessage('one two three'));
    expect(task.status.message?.parts).toEqual([{ text: 'one done,two done,three done' }]);
    expect(await runsOf(task.id)).toEqual(['completed']);
  });

  it('goes on although nobody says that they have ended', async () => {
    const caller = await start();
    if (app !== undefined) app.app.get(ActiveRuns, { strict: false }).tell = () => undefined;
    const task = await caller.task('SendMessage', aMessage('one two'));
    expect(task.status.message?.parts).toEqual([{ text: 'one done,two done' }]);
  });

  it('is parked when a child takes longer, and woken by its end', async () => {
    const caller = await start();
    const { id } = await begin(caller, 'held');
    await eventually(async () => expect(await runsOf(id)).toEqual(['parked']));
    await eventually(() => expect(held).toHaveLength(1));
    held.pop()?.();
    await eventually(async () => expect(await runsOf(id)).toEqual(['parked', 'completed']));
  });

  it('holds no slot that another run needs (I11)', async () => {
    const caller = await start({ WORKER_CONCURRENCY: '2' });
    const { id } = await begin(caller, 'held');
    await eventually(() => expect(held).toHaveLength(1));
    // The child has one of two slots: the other one is for whoever comes.
    await eventually(async () => {
      const other = await caller.task('SendMessage', aMessage('quick', { skillId: 'child' }));
      expect(other.status.state).toBe('TASK_STATE_COMPLETED');
    });
    expect(await runsOf(id)).toEqual(['parked']);
  });
});
