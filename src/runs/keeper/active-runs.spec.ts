import { beforeEach, describe, expect, it, jest, afterEach } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Metrics } from '../../platform/metrics/metrics.js';
import type { Channels } from '../../platform/redis/connection/channels.js';
import type { RunStore } from '../../tasks/commit/run.store.js';
import type { TaskOptions } from '../../tasks/task.options.js';
import { type ActiveRun, ActiveRuns } from './active-runs.js';
import type { LeaseKeeper } from './lease-keeper.js';
import { RunMetrics } from './run.metrics.js';

let receive: (message: string) => void;
/** The answers of the store to the next heartbeat, by task. */
let beats: Map<string, string> | Error;
let runs: ActiveRuns;
let kept: Set<string>;
/** What the runs were told, in order. */
let told: string[];

beforeEach(async () => {
  jest.useFakeTimers();
  jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  [beats, kept, told] = [new Map(), new Set(), []];
  const channels = {
    listenFromStart: (_channel: string, listener: typeof receive) => {
      receive = listener;
      return Promise.resolve();
    },
  };
  const heartbeats = (): Promise<unknown> => (beats instanceof Error ? Promise.reject(beats) : Promise.resolve(beats));
  const keeper = {
    worker: 'w1',
    beat: () => undefined,
    add: ({ taskId }: { taskId: string }) => {
      kept.add(taskId);
      return () => kept.delete(taskId);
    },
  };
  runs = new ActiveRuns(
    channels as unknown as Channels,
    { heartbeats } as unknown as RunStore,
    { keyPrefix: 'p', leaseMs: 4_000 } as TaskOptions,
    new RunMetrics(new Metrics()),
    keeper as unknown as LeaseKeeper,
  );
  await runs.onApplicationBootstrap();
});

afterEach(() => {
  runs.onApplicationShutdown();
  jest.restoreAllMocks();
  jest.useRealTimers();
});

function begin(taskId: string, fence = 1): (ending: string) => void {
  const hold = { taskId, fence, nonce: 'n', skillId: 'echo', traits: {}, attempt: 1 };
  return runs.add({
    hold: hold as unknown as ActiveRun['hold'],
    dueAt: Date.now(),
    stop: (reason) => told.push(`${taskId} ${String(fence)}: ${reason}`),
    heard: () => told.push(`${taskId} ${String(fence)}: heard`),
  });
}

const beat = (): Promise<void> => jest.advanceTimersByTimeAsync(1_000);

describe(ActiveRuns.name, () => {
  it('stops at a cancel the run of that fence, and wakes it at a message or the end of a child', () => {
    begin('a', 1);
    begin('a', 2);
    for (const message of ['cancel a 2', 'message a 1', 'child a 1', 'cancel a 3', 'cancel b 1', 'other a 1', '']) {
      receive(message);
    }
    expect(told).toEqual(['a 2: canceled', 'a 1: heard', 'a 1: heard']);
  });

  it('stops with the next heartbeat a canceled run whose message was lost, and a run that lost its lease (I3)', async () => {
    for (const id of ['a', 'b', 'c', 'd']) begin(id);
    beats = new Map([
      ['a', 'ok'],
      ['b', 'cancel'],
      ['c', 'lost'],
    ]);
    await beat();
    expect(told).toEqual(['b 1: canceled', 'c 1: lost']);
  });

  it('stops none where Redis does not answer, and asks again with the next heartbeat', async () => {
    begin('a');
    beats = new Error('Connection is closed');
    await beat();
    expect(told).toEqual([]);
    beats = new Map([['a', 'lost']]);
    await beat();
    expect(told).toEqual(['a 1: lost']);
  });

  it('keeps the lease of a run until its end, and hears of nothing after that', () => {
    const end = begin('a');
    expect([runs.count, runs.begun, kept.size]).toEqual([1, 1, 1]);
    end('committed');
    receive('cancel a 1');
    expect([runs.count, runs.begun, kept.size, told]).toEqual([0, 1, 0, []]);
  });

  it('stops a run at once that was claimed while its process leaves', () => {
    begin('a');
    runs.stopAll('leaving');
    begin('b');
    expect(told).toEqual(['a 1: leaving', 'b 1: leaving']);
  });
});
