import { randomUUID } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import type { Message } from '@parley/protocol/model/message.js';
import type { EventLog, LoggedEvent, LogPage } from '../../../src/tasks/commit/event-log.js';
import { Follower } from '../../../src/tasks/feed/follower.js';
import { StreamResume } from '../../../src/tasks/feed/stream-resume.js';
import type { ClaimedRun } from '../../../src/tasks/commit/run.store.js';
import { Metrics } from '../../../src/platform/metrics/metrics.js';
import { FeedMetrics } from '../../../src/tasks/feed/feed.metrics.js';
import { readTo } from '../../kit/callers/read-to.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';
import { OWNER, piece } from '../../kit/tasks/task-stores.js';

const MIB = 1024 * 1024;
const KIB = 1024;
const MOST = 256 * KIB;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function heapBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

const stores = useTaskStores();

/** Commits chunks of so many bytes each; gives the number of the last one. Not ASCII: bytes are more than characters. */
async function commitLarge(run: ClaimedRun, count: number, bytes: number): Promise<number> {
  let seq = run.seq;
  for (let n = 0; n < count; n += 1) {
    const text = `${String(n)};`.padEnd(bytes / 2, 'ä');
    const outcome = await stores.now.runs.commit(run, seq, [piece('a', text, n > 0)]);
    if (outcome.kind !== 'committed') throw new Error(outcome.kind);
    ({ seq } = outcome);
  }
  return seq;
}

/** The log as the reader sees it, with the bytes of each page that it was given. */
function measured(log: EventLog): { readonly log: Pick<EventLog, 'page'>; readonly pages: readonly number[][] } {
  const pages: number[][] = [];
  const page = async (...asked: Parameters<EventLog['page']>): Promise<LogPage | undefined> => {
    const found = await log.page(...asked);
    pages.push(found?.events.map(({ event }) => Buffer.byteLength(event.text)) ?? []);
    return found;
  };
  return { log: { page }, pages };
}

function isBounded(page: readonly number[]): boolean {
  return page.length <= 1 || page.reduce((sum, bytes) => sum + bytes, 0) <= MOST;
}

function numbersOf(seen: readonly LoggedEvent[]): readonly string[] {
  return seen.map(({ event }) => /"text":"(\d+);/.exec(event.text)?.[1] ?? event.text);
}

function firstOf(count: number): readonly string[] {
  return Array.from({ length: count }, (_unused, at) => String(at));
}

describe('readers of large events (M7)', () => {
  it.each([
    ['of 100 KiB', 100 * KIB, 12],
    ['of 200 KiB', 200 * KIB, 6],
    ['of 1 MiB', MIB, 6],
  ])('get a log of events %s in pages of 256 KiB, or one event: all of it, in order', async (_of, bytes, count) => {
    const run = await stores.now.running();
    const latest = await commitLarge(run, count, bytes);
    const { log, pages } = measured(stores.now.log);
    const follower = new Follower(run.taskId, log, run.seq + 1);
    follower.hint({ seq: latest, nonce: run.nonce });
    const seen = await readTo(follower, latest);
    expect(numbersOf(seen)).toEqual(firstOf(count));
    expect(pages.filter((page) => !isBounded(page))).toEqual([]);
    expect(pages.length).toBeGreaterThanOrEqual(Math.ceil((bytes * count) / Math.max(MOST, bytes)));
    await stores.now.sweeps.purge(run.taskId, 'whatever');
  });

  it.each([
    ['without metadata', undefined],
    ['with metadata', { trace: 'x' }],
  ])('get the first event whole, whatever the size of the message that it ends with: %s', async (_how, metadata) => {
    for (const bytes of [KIB, MOST + 1]) {
      const message: Message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'ä'.repeat(bytes / 2) }] };
      const { id } = await stores.now.submitted({ message, ...(metadata === undefined ? {} : { metadata }) });
      const { events = [], latest } = (await stores.now.log.page(id, 1)) ?? {};
      expect(events.map(({ seq, nonce }) => ({ seq, nonce }))).toEqual([latest]);
      expect(events[0]?.event.value).toEqual({ task: (await stores.now.tasks.read(OWNER, id))?.task.value });
      await stores.now.sweeps.purge(id, 'whatever');
    }
  });

  it('hold one event of 1 MiB each while they are slow, however many come live', async () => {
    const run = await stores.now.running();
    const newFollower = (): Follower => new Follower(run.taskId, stores.now.log, run.seq + 1);
    const quick = newFollower();
    const slow = Array.from({ length: 9 }, newFollower);
    const followers = [quick, ...slow];
    const count = 12;
    const before = heapBytes();
    const latest = await commitLarge(run, count, MIB);
    for (let seq = run.seq + 1; seq <= latest; seq += 1) {
      // Texts of their own, as each process has them that hears of an event.
      for (const follower of followers) {
        const [event] = (await stores.now.log.page(run.taskId, seq, 1))?.events ?? [];
        if (event !== undefined) follower.offer(event);
      }
    }
    expect(heapBytes() - before).toBeLessThan(followers.length * 2 * MIB);
    const seen = await readTo(quick, latest);
    expect(numbersOf(seen)).toEqual(firstOf(count));
    // The others have read one event each, and hold a page of the log.
    for (const follower of slow) await readTo(follower, run.seq + 2);
    expect(heapBytes() - before).toBeLessThan((followers.length + count) * 2 * MIB);
    await stores.now.sweeps.purge(run.taskId, 'whatever');
  });

  it('that resume behind many of them are shown the status of that time, from pages that are bounded, too', async () => {
    const run = await stores.now.running();
    const latest = await commitLarge(run, 24, MIB);
    const snapshot = await stores.now.tasks.read(OWNER, run.taskId, { artifacts: false });
    if (snapshot === undefined) throw new Error('no task');
    const before = heapBytes();
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, heapBytes() - before)), 5);
    const resume = new StreamResume(stores.now.log, new FeedMetrics(new Metrics()));
    const beginning = await resume.beginning(run.taskId, snapshot, `${String(latest)}-${run.nonce}`);
    clearInterval(watch);
    expect(beginning?.first.event.value).toMatchObject({ task: { status: { state: 'TASK_STATE_WORKING' } } });
    expect(most).toBeLessThan(8 * MIB);
    await stores.now.sweeps.purge(run.taskId, 'whatever');
  });
});
