import { ReplyError } from 'ioredis';
import { type Loading, loadingOf, type LoadingWait, untilLoaded } from '../connection/loading.js';
import { connectWhileLoading, type RedisServer } from '../connection/redis-client.js';

/** A server that answered and is then silent for this long counts as gone. */
const GONE_AFTER_MS = 10_000;

/**
 * Waits while a server of an address loads its data, or accepts connections without answering; for a Cluster, the
 * servers in the address. Returns when none is reachable any more: the next user of the address gets the reason.
 * @returns whether a server answered last
 * @throws StillLoading
 */
export async function awaitLoaded(address: string, wait: LoadingWait): Promise<boolean> {
  const servers = connectWhileLoading(address);
  let reachedAt = -Infinity;
  let found: Awaited<ReturnType<typeof progressOf>>;
  try {
    await untilLoaded(async () => {
      found = await progressOf(servers);
      if (found !== 'silent' || servers.some(isConnected)) reachedAt = performance.now();
      return performance.now() - reachedAt > GONE_AFTER_MS ? undefined : found;
    }, wait);
    return found !== 'silent';
  } finally {
    for (const server of servers) server.disconnect();
  }
}

function isConnected({ status }: RedisServer): boolean {
  return status === 'connect' || status === 'ready';
}

/** The progress of the slowest server. */
async function progressOf(servers: readonly RedisServer[]): Promise<Loading | 'silent' | undefined> {
  const answers = await Promise.allSettled(servers.map((server) => server.info('persistence')));
  const infos = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  // A refusal, of the password for example, is an answer too.
  const isRefused = answers.some((answer) => answer.status === 'rejected' && answer.reason instanceof ReplyError);
  if (infos.length === 0 && !isRefused) return 'silent';
  return infos
    .flatMap((info) => loadingOf(info) ?? [])
    .reduce<Loading | undefined>(
      (slow, one) => (slow === undefined || one.percent < slow.percent ? one : slow),
      undefined,
    );
}
