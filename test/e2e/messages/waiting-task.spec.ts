import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Agent, ask, call, FlowAgent, result, sequential } from '@parley/sdk/agent/api.js';
import { chunk, completed, type SkillEvent, working } from '@parley/sdk/skill/events.js';
import { CommandRedis } from '../../../src/platform/redis/connection/connections.js';
import { Skill, type SkillContext, SkillFailure, type SkillHandler } from '@parley/sdk/skill/skill.js';
import { RunQueue } from '../../../src/runs/queue/run.queue.js';
import { shardOf, TaskKeys } from '../../../src/tasks/task.keys.js';
import { eventually } from '../../kit/run/eventually.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';

const about = (id: string) => ({ id, name: id, description: 'For tests', tags: [] });

/** Sleeps between two pieces of an artifact. */
@Skill(about('dozing'))
class DozingSkill implements SkillHandler {
  async *run({ text, sleep }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    yield chunk('out', 'a');
    await sleep(Number(text));
    yield chunk('out', 'b', { last: true });
  }
}

/** Waits for an approval. */
@Skill(about('approving'))
class ApprovingSkill implements SkillHandler {
  async *run({ waitFor }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    yield working('asked');
    const approval = await waitFor({ signal: 'approved', timeoutMs: 60_000 });
    yield completed(approval === undefined ? 'nobody' : `approved: ${approval.text}`);
  }
}

/** Breaks in its first run. */
@Skill({ ...about('shaky'), maxAttempts: 2 })
class ShakySkill implements SkillHandler {
  async *run({ attempt }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    if (attempt === 1) throw new Error('not yet');
    yield completed('second try');
  }
}

/** Books, and then waits or fails. */
@Skill(about('booking'))
class BookingSkill implements SkillHandler {
  async *run({ text, step, sleep }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    await step('seat', () => Promise.resolve('7a'), { undo: (seat) => ({ skill: 'releasing', input: seat }) });
    yield working('booked');
    if (text === 'wait') await sleep(60_000);
    else throw new SkillFailure('No money.');
  }
}

/** Takes a booking back. */
@Skill(about('releasing'))
class ReleasingSkill implements SkillHandler {
  async *run({ text }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    yield completed(`released ${text}`);
  }
}

/** Has another skill release a booking, and waits for an approval. */
@Skill({ ...about('changing'), version: 1 })
class ChangingSkill implements SkillHandler {
  protected readonly released: string = '7a';

  async *run({ call, waitFor }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    await call('releasing', this.released);
    yield working('released');
    const approval = await waitFor({ signal: 'approved', timeoutMs: 60_000 });
    yield completed(approval?.text ?? 'nobody');
  }
}

/** The same after a deploy that changes the call before the wait, and does not name the class before. */
@Skill({ ...about('changing'), version: 2 })
class ChangedSkill extends ChangingSkill {
  protected override readonly released = '8b';
}

/** A workflow: asks a person, has a skill work, and shows a result. */
@Agent({ ...about('changing_seat'), description: 'Changes a seat' })
class ChangingSeatAgent extends FlowAgent {
  readonly flow = sequential<{ readonly row: number; readonly done: string }>(
    ask({ as: 'row', question: 'Which row?', schema: { type: 'integer', minimum: 1 } }),
    call('releasing', { as: 'done', input: ({ row }) => String(row) }),
    result('seat', ({ done }) => done),
  );
}

const CATALOG = { skills: [ChangingSeatAgent, DozingSkill, ApprovingSkill, ShakySkill, BookingSkill, ReleasingSkill] };

function parkedIn({ app, keyPrefix }: RunningApp, id: string): Promise<void> {
  return eventually(async () => {
    const key = new TaskKeys(keyPrefix).parked(shardOf(id));
    expect(await app.get<CommandRedis>(CommandRedis).zscore(key, id)).not.toBeNull();
  });
}

describe('a task that waits, with two replicas', () => {
  let one: RunningApp;
  let other: RunningApp;
  let client: RpcClient;
  let otherClient: RpcClient;

  beforeAll(async () => {
    const KEY_PREFIX = `test-${randomUUID()}`;
    const variables = { KEY_PREFIX, DEFAULT_SKILL: 'dozing', BLOCKING_MS: '2000', WORKER_CONCURRENCY: '2' };
    one = await runApp(variables, CATALOG);
    other = await runApp(variables, CATALOG);
    client = new RpcClient(one.url);
    otherClient = new RpcClient(other.url);
  });

  afterAll(async () => {
    await one.close();
    await other.close();
  });

  const counts = () => one.app.get(RunQueue).counts();
  const parked = (id: string) => parkedIn(one, id);
  const begin = (text: string, skillId: string) =>
    client.task('SendMessage', { ...aMessage(text, { skillId }), configuration: { returnImmediately: true } });

  it('undoes its finished work before it fails, or is canceled by another replica', async () => {
    const failed = await client.task('SendMessage', aMessage('fail', { skillId: 'booking' }));
    expect(failed.status).toMatchObject({
      state: 'TASK_STATE_FAILED',
      message: { parts: [{ text: 'No money. Undone: seat.' }] },
    });
    const { id } = await begin('wait', 'booking');
    await parked(id);
    expect((await otherClient.task('CancelTask', { id })).status).toMatchObject({
      state: 'TASK_STATE_CANCELED',
      message: { parts: [{ text: 'The task was canceled. Undone: seat.' }] },
    });
  });

  it('is an agent for its caller where it is a workflow: card, questions, artifacts, cancel (O-67, SEED-61)', async () => {
    const card = (await (await fetch(`${one.url}/.well-known/agent-card.json`)).json()) as { skills: { id: string }[] };
    expect(card.skills.map(({ id }) => id)).toContain('changing_seat');
    const asks = await client.task('SendMessage', aMessage('', { skillId: 'changing_seat' }));
    const question = { state: 'TASK_STATE_INPUT_REQUIRED', message: { parts: [{ text: 'Which row?' }] } };
    expect(asks.status).toMatchObject(question);
    const done = await otherClient.task('SendMessage', aMessage('7', { taskId: asks.id }));
    expect(done).toMatchObject({
      ...{ id: asks.id, status: { state: 'TASK_STATE_COMPLETED' } },
      artifacts: [{ artifactId: 'seat', parts: [{ text: 'released 7' }] }],
    });
    const { id } = await client.task('SendMessage', aMessage('', { skillId: 'changing_seat' }));
    expect((await otherClient.task('CancelTask', { id })).status.state).toBe('TASK_STATE_CANCELED');
  });

  it('answers a blocking send at its end', async () => {
    const task = await client.task('SendMessage', aMessage('300'));
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(task.artifacts?.[0]?.parts).toEqual([{ text: 'a' }, { text: 'b' }]);
  });

  it('answers a blocking send at the limit of the call, with the task at work', async () => {
    const task = await client.task('SendMessage', aMessage('60000'));
    expect(task.status.state).toBe('TASK_STATE_WORKING');
    await client.task('CancelTask', { id: task.id });
  });

  it('keeps its stream open, and sends each event once', async () => {
    const texts: unknown[] = [];
    for await (const { data } of client.stream('SendStreamingMessage', aMessage('1200'))) {
      const { artifactUpdate } = (data.result ?? {}) as { artifactUpdate?: { artifact: { parts: unknown[] } } };
      if (artifactUpdate !== undefined) texts.push(...artifactUpdate.artifact.parts);
    }
    expect(texts).toEqual([{ text: 'a' }, { text: 'b' }]);
  });

  it('takes no slot: more tasks sleep than there are slots, and others run meanwhile', async () => {
    const tasks = await Promise.all(Array.from({ length: 20 }, () => begin('60000', 'dozing')));
    await Promise.all(tasks.map(({ id }) => parked(id)));
    expect(await counts()).toMatchObject({ waiting: 0, active: 0, parked: 20 });
    const quick = await client.task('SendMessage', aMessage('0'));
    expect(quick.status.state).toBe('TASK_STATE_COMPLETED');
    const canceled = await Promise.all(tasks.map(({ id }) => otherClient.task('CancelTask', { id })));
    expect(new Set(canceled.map(({ status }) => status.state))).toEqual(new Set(['TASK_STATE_CANCELED']));
    expect(await counts()).toMatchObject({ parked: 0 });
  });

  it('is woken by a message with its signal through any replica, and not by another message', async () => {
    const { id } = await begin('go', 'approving');
    await parked(id);
    const later = { returnImmediately: true };
    await otherClient.task('SendMessage', { ...aMessage('hello?', { taskId: id }), configuration: later });
    await pause(100);
    await parked(id);
    const approval = { ...aMessage('fine', { taskId: id, metadata: { signal: 'approved' } }), configuration: later };
    await otherClient.task('SendMessage', approval);
    await eventually(async () => {
      const { status, history } = await client.task('GetTask', { id });
      expect(JSON.stringify([status, history])).toContain('approved: fine');
    });
  });

  it('holds no slot between two tries of a broken run', async () => {
    const { id } = await begin('go', 'shaky');
    await parked(id);
    expect(await counts()).toMatchObject({ active: 0, waiting: 0 });
    await eventually(async () =>
      expect((await client.task('GetTask', { id })).status.state).toBe('TASK_STATE_COMPLETED'),
    );
  });
});

describe('a deploy that changes what a waiting task has done', () => {
  it('fails the task with the call that has changed and both versions (pitfall 10)', async () => {
    const variables = { KEY_PREFIX: `test-${randomUUID()}`, DEFAULT_SKILL: 'changing', BLOCKING_MS: '3000' };
    const before = await runApp(variables, { skills: [ChangingSkill, ReleasingSkill] });
    const caller = new RpcClient(before.url);
    const later = { configuration: { returnImmediately: true } };
    const { id } = await caller.task('SendMessage', { ...aMessage('go'), ...later });
    await eventually(async () => {
      const { status } = await caller.task('GetTask', { id });
      expect(status.message?.parts).toEqual([{ text: 'released' }]);
    });
    await parkedIn(before, id);
    await before.close();
    const after = await runApp(variables, { skills: [ChangedSkill, ReleasingSkill] });
    try {
      const client = new RpcClient(after.url);
      await client.task('SendMessage', {
        ...aMessage('fine', { taskId: id, metadata: { signal: 'approved' } }),
        ...later,
      });
      await eventually(async () => {
        const { status } = await client.task('GetTask', { id });
        expect(status.state).toBe('TASK_STATE_FAILED');
        const [part] = status.message?.parts ?? [];
        expect(part !== undefined && 'text' in part ? part.text : '').toMatch(
          /call 1 of this turn was "call releasing#1 of releasing with [\w-]{16}", and is "call releasing#1 of releasing with [\w-]{16}" now.*The task began with version 1 of "changing", and version 2 runs it now\./,
        );
      });
    } finally {
      await after.close();
    }
  });
});
