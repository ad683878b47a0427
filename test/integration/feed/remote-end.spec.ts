import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { RemoteCaller } from '../../../src/operation/send/remote-caller.js';
import { Channels } from '../../../src/platform/redis/connection/channels.js';
import { ProcessIdentity } from '../../../src/platform/redis/process-identity.js';
import { TaskFeeds } from '../../../src/task/feed/task-feeds.js';
import { LiveEvents } from '../../../src/task/live-events.js';
import type { NewTask } from '../../../src/task/new-task.js';
import type { ClaimedRun, TaskWrite } from '../../../src/task/run.store.js';
import type { CreatedTask } from '../../../src/task/task.store.js';
import { eventually } from '../../kit/run/eventually.js';
import { readTo } from '../../kit/callers/read-to.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';
import { aMessage, anAnswer, done, OWNER, piece, progress } from '../../kit/tasks/task-stores.js';

const stores = useTaskStores();
let subscriber: Redis;
let feeds: TaskFeeds;

beforeEach(async () => {
  const { redis, log, options } = stores.now;
  if (!(redis instanceof Redis)) throw new Error('these facts are about one server');
  subscriber = redis.duplicate();
  feeds = new TaskFeeds(new Channels(subscriber), log, new LiveEvents(), new ProcessIdentity(), options);
  await feeds.onApplicationBootstrap();
});

afterEach(() => {
  feeds.onModuleDestroy();
  subscriber.disconnect();
});

interface Sent {
  readonly created: CreatedTask;
  readonly caller: RemoteCaller;
  readonly run: ClaimedRun;
}

/** A task whose caller waits here, and the run that another process has of it. */
async function sent(changes: Partial<NewTask> = {}): Promise<Sent> {
  const message = changes.message ?? aMessage();
  const { id } = stores.now.tasks.newIdentity(OWNER, 'tests', message.messageId);
  const caller = new RemoteCaller(() => feeds.followOwn(id));
  feeds.expectEnd(id, caller);
  const created = await stores.now.create({ id, message, replyTo: feeds.endChannel, ...changes });
  if (created.kind !== 'created') throw new Error(created.kind);
  const outcome = await stores.now.runs.claim(id, created.fence, 'worker');
  if (outcome.kind !== 'claimed') throw new Error(outcome.kind);
  return { created, caller, run: outcome.run };
}

function commit(run: ClaimedRun, writes: readonly TaskWrite[], after = run.seq): Promise<unknown> {
  return stores.now.runs.commit(run, after, writes);
}

/** The numbers of the events that a caller gets which follows the task, up to one. */
async function followed(
  outcome: Awaited<RemoteCaller['outcome']>,
  { created }: Sent,
  upto: number,
): Promise<readonly number[]> {
  if (outcome === undefined || 'head' in outcome) throw new Error('does not follow the task');
  outcome.follower.startAfter({ seq: created.seq, nonce: created.nonce });
  const seen = await readTo(outcome.follower, upto);
  outcome.close();
  return seen.map(({ seq }) => seq);
}

describe('the caller of a run in another process', () => {
  const said = {
    ...done,
    message: { role: 'ROLE_AGENT', messageId: 'm', parts: [{ text: 'a "word"\n\u0000=' }] },
  } as const;
  const ends: readonly (readonly [name: string, writes: readonly TaskWrite[]])[] = [
    ['says nothing', [progress, done]],
    ['has a result', [progress, piece('a', 'text\nof two lines'), done]],
    ['has two results and a last word', [progress, piece('a', 'one'), piece('b', 'two'), said]],
    ['fails', [progress, { ...said, state: 'TASK_STATE_FAILED' }]],
  ];
  it.each(ends)(
    'gets a task that ends at once as it is stored, without a feed: one that %s (I5)',
    async (_name, writes) => {
      const { created, caller, run } = await sent({ metadata: { a: 'line\nbreak' } });
      await commit(run, writes);

      const outcome = await caller.outcome;
      if (outcome === undefined || !('head' in outcome)) throw new Error('did not get the end');
      const stored = await stores.now.tasks.read(OWNER, created.taskId);
      expect(`${outcome.head}${created.rest}`).toBe(stored?.task.text);
    },
  );

  it('follows a task whose run goes on, from its first event to its last', async () => {
    const task = await sent();
    await commit(task.run, [progress]);
    const outcome = await task.caller.outcome;
    await commit(task.run, [piece('a', 'x'), done], 2);

    expect(await followed(outcome, task, 4)).toEqual([2, 3, 4]);
  });

  const long = 'x'.repeat(17_000);
  it.each<readonly [string, readonly TaskWrite[]]>([
    ['a result', [progress, piece('a', long), done]],
    ['a last word', [progress, piece('a', 'x'), { ...said, message: { ...said.message, parts: [{ text: long }] } }]],
  ])('gets the events where %s has 16 KiB and more: they are not written twice', async (_what, writes) => {
    const task = await sent();
    await commit(task.run, writes);

    expect(await followed(await task.caller.outcome, task, 4)).toEqual([2, 3, 4]);
  });

  it('follows a task that got a message meanwhile: the end of the run is not the end of the task', async () => {
    const task = await sent();
    await stores.now.tasks.resume(OWNER, anAnswer(task.run.taskId), 'hash');
    await commit(task.run, [progress, done]);

    const outcome = await task.caller.outcome;
    expect(outcome !== undefined && 'follower' in outcome && outcome.tellsAll()).toBe(false);
    if (outcome !== undefined && 'follower' in outcome) outcome.close();
    expect(await stores.now.task(task.run.taskId)).toMatchObject({ status: { state: 'TASK_STATE_WORKING' } });
  });

  it('reads the log where the end was told and did not arrive', async () => {
    const task = await sent();
    await subscriber.unsubscribe(feeds.endChannel);
    await commit(task.run, [progress, done]);

    expect(await followed(await task.caller.outcome, task, 3)).toEqual([2, 3]);
  }, 15_000);

  it('reads the log for an end that comes when it follows the task already', async () => {
    const task = await sent();
    feeds.forgetEnd(task.run.taskId, false);
    const following = feeds.followOwn(task.run.taskId);
    following.follower.startAfter({ seq: task.created.seq, nonce: task.created.nonce });
    const reading = readTo(following.follower, 3);
    await commit(task.run, [progress, done]);

    expect((await reading).map(({ seq }) => seq)).toEqual([2, 3]);
    following.close();
  });

  it('is sent nothing any more when it waits no longer (L8)', async () => {
    const { caller, run } = await sent();
    caller.giveUp();
    feeds.forgetEnd(run.taskId, true);

    expect(await caller.outcome).toBeUndefined();
    await eventually(async () => expect(await stores.now.field(run.taskId, 'r')).toBeNull());
  });

  it('waits no longer when the process leaves, early or late', async () => {
    const { caller } = await sent();
    feeds.onModuleDestroy();
    const late = new RemoteCaller(() => feeds.followOwn('late'));
    feeds.expectEnd('late', late);

    expect(await caller.outcome).toBeUndefined();
    expect(await late.outcome).toBeUndefined();
  });
});
