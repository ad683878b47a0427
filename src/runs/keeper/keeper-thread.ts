import { writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { presentAddress } from '../../platform/redis/connection/present-address.js';
import { connect, type RedisClient } from '../../platform/redis/connection/redis-client.js';
import { RunHolds } from '../../tasks/commit/run-holds.js';
import { type BlockingCode, blockingCode } from './blocking-code.js';
import type { KeeperData, KeeperReport } from './lease-keeper.js';
import { RunBoard } from './run-board.js';

/** After the event loop was blocked for this long, the process loses its runs. */
const MAX_LATE_MS = 30_000;

const { memory, places, address, addressFile, channel, options } = workerData as KeeperData;
const present = presentAddress({ address, addressFile });
const board = new RunBoard(places, memory);
/** Two beats detect a block well before the leases of runs end. */
const everyMs = options.leaseMs / 4;

let [beats, aliveAt] = [board.beats, performance.now()];
let late: { redis: RedisClient; holds: RunHolds; code: BlockingCode | undefined; hasEnded: boolean } | undefined;

/** The program of the keeper thread: renews the leases of the process while its event loop is blocked. */
async function keep(): Promise<void> {
  if (board.beats !== beats) {
    if (late !== undefined) recovered(performance.now() - aliveAt);
    [beats, aliveAt] = [board.beats, performance.now()];
    return;
  }
  const lateMs = performance.now() - aliveAt;
  if (lateMs < 2 * everyMs) return;
  late ??= begun();
  if (lateMs > MAX_LATE_MS) await handOver(late, lateMs);
  else await Promise.all([late.holds.renew(board.runs()), identify(late)]);
}

/** Opened only for the episode: the connection needs no watch, and no failover strands it. */
function begun(): NonNullable<typeof late> {
  const redis = connect(present(), 'command', { present });
  // Its commands fail as well, and the next beat repeats them.
  redis.on('error', () => undefined);
  return { redis, holds: new RunHolds(redis, options), code: undefined, hasEnded: false };
}

async function identify(episode: NonNullable<typeof late>): Promise<void> {
  if (episode.code?.taskId === undefined) episode.code = (await blockingCode()) ?? episode.code;
}

/** Hands the other runs of the process to other processes, once; the blocking run loses its lease. */
async function handOver(episode: NonNullable<typeof late>, lateMs: number): Promise<void> {
  if (episode.hasEnded) return;
  episode.hasEnded = true;
  const { code, holds } = episode;
  const others = code?.taskId === undefined ? [] : board.runs().filter(({ taskId }) => taskId !== code.taskId);
  const line = { level: 'error', time: new Date().toISOString(), event: 'event-loop.blocked', ...code };
  // Bypasses the main thread, which writes all other lines.
  writeSync(1, `${JSON.stringify({ ...line, ms: Math.round(lateMs), handedOver: others.length })}\n`);
  await Promise.allSettled([
    holds.giveUp(channel, code?.taskId),
    ...others.map((run) => holds.release(run, 'handed-over')),
  ]);
}

function recovered(lateMs: number): void {
  const report: KeeperReport = { ms: Math.round(lateMs), kept: late?.hasEnded !== true, ...late?.code };
  late?.redis.disconnect();
  late = undefined;
  parentPort?.postMessage(report);
}

let isBusy = false;
setInterval(() => {
  if (isBusy) return;
  isBusy = true;
  keep()
    .catch(() => undefined)
    .finally(() => {
      isBusy = false;
    });
}, everyMs);
