import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { Metrics } from '../../../src/platform/metrics/metrics.js';
import { FeedMetrics } from '../../../src/tasks/feed/feed.metrics.js';
import { Channels } from '../../../src/platform/redis/connection/channels.js';
import { ProcessIdentity } from '../../../src/platform/redis/process-identity.js';
import { EventsTrimmed, Follower } from '../../../src/tasks/feed/follower.js';
import { snapshotBeginning, type StreamEvent } from '../../../src/tasks/feed/stream-beginning.js';
import { StreamResume } from '../../../src/tasks/feed/stream-resume.js';
import { TaskFeeds } from '../../../src/tasks/feed/task-feeds.js';
import { TaskStreams } from '../../../src/tasks/feed/task-streams.js';
import { LiveEvents } from '../../../src/tasks/commit/live-events.js';
import type { EventLog, LoggedEvent } from '../../../src/tasks/commit/event-log.js';
import type { Snapshot } from '../../../src/tasks/record/snapshot.js';
import type { ClaimedRun } from '../../../src/tasks/commit/run.store.js';
import { eventually } from '../../kit/run/eventually.js';
import { readTo } from '../../kit/callers/read-to.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';
import { done, OWNER, piece, progress, type TaskStores } from '../../kit/tasks/task-stores.js';

let stores: ReturnType<typeof useTaskStores>;
let subscriber: Redis;
let feeds: TaskFeeds;
let streams: TaskStreams;

async function snapshotOf(taskId: string): Promise<Snapshot> {
  const snapshot = await stores.now.tasks.read(OWNER, taskId, { watchMs: 60_000 });
  if (snapshot === undefined) throw new Error('no task');
  return snapshot;
}

/** Commits so many chunks, all of one artifact. */
async function commitChunks(run: ClaimedRun, after: number, count: number): Promise<number> {
  let seq = after;
  for (let n = 0; n < count; n += 1) {
    const outcome = await stores.now.runs.commit(run, seq, [piece('a', `${n};`, seq > run.seq)]);
    if (outcome.kind !== 'committed') throw new Error(outcome.kind);
    ({ seq } = outcome);
  }
  return seq;
}

/** Forgets all events up to `seq`, as the bound of the log does for a task with very many. */
async function trim(taskId: string, seq: number): Promise<void> {
  const names = Array.from({ length: seq }, (_unused, at) => `e${at + 1}`);
  await stores.now.redis.hdel(stores.now.keys.task(taskId), ...names);
}

async function next(stream: AsyncIterator<StreamEvent>): Promise<StreamEvent> {
  const { value, done: isDone } = await stream.next();
  if (isDone === true) throw new Error('the stream is over');
  return value;
}

function seqOf({ id }: StreamEvent): number {
  return Number.parseInt(id, 10);
}

/** What a failover that lost writes brings back. */
function dumpOf({ redis }: TaskStores, key: string): Promise<Buffer> {
  return redis.dumpBuffer(key);
}

describe('task streams', () => {
  stores = useTaskStores();

  beforeEach(() => {
    const { redis, log, tasks, options } = stores.now;
    if (!(redis instanceof Redis)) throw new Error('these facts are about one server');
    subscriber = redis.duplicate();
    feeds = new TaskFeeds(new Channels(subscriber), log, new LiveEvents(), new ProcessIdentity(), options);
    streams = new TaskStreams(tasks, new FeedMetrics(new Metrics()));
  });

  afterEach(() => {
    feeds.onModuleDestroy();
    subscriber.disconnect();
  });

  describe(TaskStreams.name, () => {
    it('gives the task as it stands to a reader whose next events the log no longer has, and goes on from there', async () => {
      const run = await stores.now.running();
      // Without a subscription of its own nothing comes live: the reader depends on the log.
      const following = feeds.followOwn(run.taskId);
      const start = { ...snapshotBeginning(await snapshotOf(run.taskId)), owner: OWNER, taskId: run.taskId };
      const stream = streams.read(following, start, new AbortController().signal);
      await next(stream);
      const latest = await commitChunks(run, run.seq, 5);
      await trim(run.taskId, latest - 1);

      following.follower.hint({ seq: latest, nonce: run.nonce });
      const fresh = await next(stream);
      expect(seqOf(fresh)).toBe(latest);
      const { value } = fresh.event;
      expect('task' in value && value.task.artifacts?.[0]?.parts.map((part) => 'text' in part && part.text)).toEqual([
        ...['0;', '1;', '2;', '3;', '4;'],
      ]);

      await stores.now.runs.commit(run, latest, [done]);
      following.follower.hint({ seq: latest + 1, nonce: run.nonce });
      expect(seqOf(await next(stream))).toBe(latest + 1);
      expect((await stream.next()).done).toBe(true);
      await stores.now.sweeps.purge(run.taskId, 'finished');
    });

    it('delivers live what is published, in order, to the end of the task', async () => {
      const run = await stores.now.running();
      const following = await feeds.follow(run.taskId);
      const start = { ...snapshotBeginning(await snapshotOf(run.taskId)), owner: OWNER, taskId: run.taskId };
      const stream = streams.read(following, start, new AbortController().signal);
      const latest = await commitChunks(run, run.seq, 3);
      await stores.now.runs.commit(run, latest, [done]);

      const seen: number[] = [];
      for await (const event of stream) seen.push(seqOf(event));
      expect(seen).toEqual([2, 3, 4, 5, 6]);
    });

    it('ends readers at once when the process leaves, also those who come later', async () => {
      const run = await stores.now.running();
      const start = { ...snapshotBeginning(await snapshotOf(run.taskId)), owner: OWNER, taskId: run.taskId };
      const { signal } = new AbortController();
      const early = streams.read(await feeds.follow(run.taskId), start, signal);
      await next(early);
      const ending = early.next();

      feeds.onModuleDestroy();

      expect((await ending).done).toBe(true);
      const late = streams.read(await feeds.follow(run.taskId), start, signal);
      expect('task' in (await next(late)).event.value).toBe(true);
      expect((await late.next()).done).toBe(true);
      await stores.now.sweeps.purge(run.taskId, 'whatever');
    });
  });

  describe(`${TaskFeeds.name}.follow`, () => {
    it('stays subscribed to a task that several readers begin to follow at once, until the last has gone', async () => {
      const { taskId } = await stores.now.running();
      const channel = stores.now.keys.task(taskId);
      // Commands of one connection are done in order: what it was asked to end before has ended.
      const subscribers = async (): Promise<unknown> => {
        await subscriber.subscribe('another');
        return (await stores.now.redis.pubsub('NUMSUB', channel))[1];
      };
      const readers = await Promise.all([feeds.follow(taskId), feeds.follow(taskId), feeds.follow(taskId)]);
      expect(await subscribers()).toBe(1);
      for (const reader of readers.slice(1)) reader.close();
      expect(await subscribers()).toBe(1);
      readers[0].close();
      expect(await subscribers()).toBe(0);
    });
  });

  describe(TaskFeeds.name, () => {
    /** From now on: where this service's messages went since the last call. */
    async function listened(): Promise<() => Promise<string[]>> {
      const channels: string[] = [];
      const marker = `${stores.now.options.keyPrefix}:marker`;
      listener = subscriber.duplicate();
      listener.on('pmessage', (_pattern: string, channel: string) => channels.push(channel));
      await listener.psubscribe(`${stores.now.options.keyPrefix}*`);
      return async () => {
        await stores.now.redis.publish(marker, '');
        await eventually(() => expect(channels.at(-1)).toBe(marker));
        return channels.splice(0).slice(0, -1);
      };
    }
    let listener: Redis;
    afterEach(() => {
      listener.disconnect();
    });

    it('is sent no event of a task whose caller waits no longer (L8)', async () => {
      const heard = await listened();
      const created = await stores.now.create({ replyTo: feeds.replyChannel });
      if (created.kind !== 'created') throw new Error(created.kind);
      const following = feeds.followOwn(created.taskId);
      following.expectReply();
      const run = await stores.now.claimed(created.taskId, created.fence);
      const latest = await commitChunks(run, run.seq, 1);
      expect(await heard()).toEqual([feeds.replyChannel, feeds.replyChannel]);

      following.close();
      await eventually(async () => expect(await stores.now.field(created.taskId, 'r')).toBeNull());
      await stores.now.runs.commit(run, latest, [piece('a', 'more', true), done]);
      expect(await heard()).toEqual([]);
    });

    it('is sent events of a task that others run only for as long as it renews its wish to hear of them (L8)', async () => {
      const run = await stores.now.running();
      const channel = stores.now.keys.task(run.taskId);
      const heard = await listened();
      await stores.now.tasks.read(OWNER, run.taskId, { watchMs: 60_000 });
      const latest = await commitChunks(run, run.seq, 1);
      expect(await heard()).toEqual([channel]);

      await stores.now.tasks.read(OWNER, run.taskId, { watchMs: -1 });
      await stores.now.runs.commit(run, latest, [piece('a', 'more', true), done]);
      expect(await heard()).toEqual([]);
    });
  });

  describe(Follower.name, () => {
    /** A live message as it would come, told from the log's by its text. */
    function live(run: ClaimedRun, seq: number, nonce = run.nonce): LoggedEvent {
      return { seq, nonce, event: { text: `live ${seq}` } as never };
    }

    it('holds 64 events for a slow reader and reads the rest from the log: in order, without a gap or a repeat', async () => {
      const run = await stores.now.running();
      const latest = await commitChunks(run, run.seq, 200);
      const follower = new Follower(run.taskId, stores.now.log);
      follower.startAfter({ seq: run.seq, nonce: '' });
      for (let seq = run.seq + 1; seq <= latest; seq += 1) follower.offer(live(run, seq));

      const seen = await readTo(follower, latest);
      expect(seen.map(({ seq }) => seq)).toEqual(Array.from({ length: 200 }, (_unused, at) => run.seq + 1 + at));
      expect(seen.filter(({ event }) => event.text.startsWith('live'))).toHaveLength(64);
      await stores.now.sweeps.purge(run.taskId, 'whatever');
    });

    it('fills a gap in what comes live from the log', async () => {
      const run = await stores.now.running();
      const latest = await commitChunks(run, run.seq, 4);
      const follower = new Follower(run.taskId, stores.now.log);
      follower.startAfter({ seq: run.seq, nonce: '' });
      follower.offer(live(run, run.seq + 1));
      follower.offer(live(run, latest));

      const seen = await readTo(follower, latest);
      expect(seen.map(({ seq }) => seq)).toEqual([3, 4, 5, 6]);
      await stores.now.sweeps.purge(run.taskId, 'whatever');
    });

    it('keeps at most 256 KiB of live events, and reads the rest from the log', async () => {
      const run = await stores.now.running();
      const latest = await commitChunks(run, run.seq, 4);
      const follower = new Follower(run.taskId, stores.now.log);
      follower.startAfter({ seq: run.seq, nonce: run.nonce });
      const large = { text: `live ${'x'.repeat(200_000)}` } as never;
      for (let seq = run.seq + 1; seq <= latest; seq += 1) follower.offer({ ...live(run, seq), event: large });

      const seen = await readTo(follower, latest);
      expect(seen.filter(({ event }) => event.text.startsWith('live'))).toHaveLength(1);
      expect(seen).toHaveLength(4);
      await stores.now.sweeps.purge(run.taskId, 'whatever');
    });

    it('reads again what is said of new events while it reads the log (D11)', async () => {
      const run = await stores.now.running();
      const latest = await commitChunks(run, run.seq, 1);
      let reads = 0;
      const log: Pick<EventLog, 'page'> = {
        page: async (...asked) => {
          const page = await stores.now.log.page(...asked);
          reads += 1;
          if (reads > 1) return page;
          // Two events are written behind what was read; one is hinted at, and nothing comes live or later.
          await commitChunks(run, latest, 2);
          follower.hint({ seq: latest + 2, nonce: run.nonce });
          return page;
        },
      };
      const follower = new Follower(run.taskId, log, run.seq + 1);
      follower.hint({ seq: latest, nonce: run.nonce });
      const seen = await readTo(follower, latest + 2);
      expect(seen.map(({ seq }) => seq)).toEqual([3, 4, 5]);
      await stores.now.sweeps.purge(run.taskId, 'whatever');
    }, 5_000);

    it('begins anew when a failover has lost events that were handed on, whoever writes their numbers now (H3)', async () => {
      const run = await stores.now.running();
      const key = stores.now.keys.task(run.taskId);
      const before = await dumpOf(stores.now, key);
      const latest = await commitChunks(run, run.seq, 3);
      const reader = async (): Promise<Follower> => {
        const follower = new Follower(run.taskId, stores.now.log);
        follower.startAfter({ seq: run.seq, nonce: run.nonce });
        follower.hint({ seq: latest, nonce: run.nonce });
        await readTo(follower, latest);
        return follower;
      };
      const [silent, told, outrun] = [await reader(), await reader(), await reader()];
      await stores.now.redis.restore(key, 86_400_000, before, 'REPLACE');
      await stores.now.redis.del(stores.now.keys.artifact(run.taskId, 1));

      // The log is shorter than what the reader has seen.
      silent.hint((await stores.now.log.latest([run.taskId])).get(run.taskId) ?? { seq: 0, nonce: '' });
      await expect(silent.next()).rejects.toThrow(EventsTrimmed);
      // The old run is fenced: it cannot write on top of the gap.
      expect(await stores.now.runs.commit(run, latest, [done])).toEqual({ kind: 'lost' });
      await stores.now.expireLease(run.taskId);
      const verdict = await stores.now.sweeps.evaluate(run.taskId);
      const next = await stores.now.claimed(run.taskId, 'fence' in verdict ? verdict.fence : 0);
      await commitChunks(next, next.seq, 4);
      // Another event has the number of the last one that was handed on, live or in the log.
      told.offer(live(next, latest));
      await expect(told.next()).rejects.toThrow(EventsTrimmed);
      outrun.offer(live(next, latest + 1));
      await expect(readTo(outrun, latest + 1)).rejects.toThrow(EventsTrimmed);
      await stores.now.sweeps.purge(run.taskId, 'whatever');
    });
  });

  describe(StreamResume.name, () => {
    const resume = (taskId: string, snapshot: Snapshot, id: string): ReturnType<StreamResume['beginning']> =>
      new StreamResume(stores.now.log, new FeedMetrics(new Metrics())).beginning(taskId, snapshot, id);

    it('goes on after an event that the log has, with the status as it was then', async () => {
      const run = await stores.now.running();
      await stores.now.runs.commit(run, run.seq, [progress, piece('a', 'x'), done]);
      const snapshot = await snapshotOf(run.taskId);

      const beginning = await resume(run.taskId, snapshot, `2-${run.nonce}`);
      expect(beginning).toMatchObject({
        after: { seq: 2, nonce: run.nonce },
        latest: 5,
        over: false,
        first: { id: `2-${run.nonce}` },
      });
      expect(beginning?.first.event.value).toMatchObject({ task: { status: { state: 'TASK_STATE_WORKING' } } });
    });

    it('goes on within a log that has trimmed its last status, by reading one page back (M2)', async () => {
      const run = await stores.now.running();
      let { seq } = run;
      const first = piece('a', '0;');
      for (const count of Array.from({ length: 101 }, () => 200)) {
        const pieces = Array.from({ length: count }, () => piece('a', 'x', true));
        const outcome = await stores.now.runs.commit(run, seq, seq === run.seq ? [first, ...pieces] : pieces);
        if (outcome.kind !== 'committed') throw new Error(outcome.kind);
        ({ seq } = outcome);
      }
      await stores.now.runs.commit(run, seq, [done]);
      const snapshot = await snapshotOf(run.taskId);
      const { seq: latest } = snapshot;
      expect(latest).toBeGreaterThan(20_000);
      const monitored = stores.now.log;
      const pages: number[] = [];
      const counted: typeof monitored.pageBack = (taskId, from) => {
        pages.push(from);
        return monitored.pageBack(taskId, from);
      };
      const log = Object.assign(Object.create(monitored) as EventLog, { pageBack: counted });
      for (const cursor of [latest - 20_000 + 1, 5_000, latest - 8, latest - 1]) {
        const beginning = await new StreamResume(log, new FeedMetrics(new Metrics())).beginning(
          run.taskId,
          snapshot,
          `${String(cursor)}-${run.nonce}`,
        );
        expect([cursor, beginning?.after.seq, beginning?.missed?.[0]?.seq]).toEqual([cursor, cursor, cursor + 1]);
        expect(beginning?.first.event.value).toMatchObject({ task: { status: { state: 'TASK_STATE_WORKING' } } });
      }
      expect(pages).toHaveLength(4);
      expect(await resume(run.taskId, snapshot, `2-${run.nonce}`)).toBeUndefined();
      await stores.now.sweeps.purge(run.taskId, 'finished');
    });

    it('does not know a place that was trimmed, lies ahead, was written by another history or is no place', async () => {
      const run = await stores.now.running();
      await stores.now.runs.commit(run, run.seq, [progress, done]);
      const snapshot = await snapshotOf(run.taskId);
      await trim(run.taskId, 2);

      for (const id of [`2-${run.nonce}`, `9-${run.nonce}`, '3-another', 'nonsense', '']) {
        expect(await resume(run.taskId, snapshot, id)).toBeUndefined();
      }
      await stores.now.sweeps.purge(run.taskId, 'finished');
    });
  });
});
