import { type Loading, loadingOf, type LoadingWait, untilLoaded } from '../connection/loading.js';
import { connectWhileLoading, type RedisServer } from '../connection/redis-client.js';

/** A server that answered and then says nothing for this long has gone. */
const GONE_AFTER_MS = 10_000;

/**
 * Waits while a server of an address reads its data; for a Cluster, those that the address names. Returns when none
 * answers, or none does any more: the next user of the address learns why.
 * @returns whether there was something to wait for
 * @throws StillLoading
 */
export async function awaitLoaded(address: string, wait: LoadingWait): Promise<boolean> {
  const servers = connectWhileLoading(address);
  let answeredAt = -Infinity;
  let hasWaited = false;
  const onLoading: LoadingWait['onLoading'] = (loading) => {
    hasWaited = true;
    wait.onLoading?.(loading);
  };
  try {
    await untilLoaded(
      async () => {
        const found = await progressOf(servers);
        if (found !== 'silent') answeredAt = performance.now();
        return performance.now() - answeredAt > GONE_AFTER_MS ? undefined : found;
      },
      { ...wait, onLoading },
    );
    return hasWaited;
  } finally {
    for (const server of servers) server.disconnect();
  }
}

/** The slowest of them. */
async function progressOf(servers: readonly RedisServer[]): Promise<Loading | 'silent' | undefined> {
  const answers = await Promise.allSettled(servers.map((server) => server.info('persistence')));
  const infos = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  if (infos.length === 0) return 'silent';
  return infos
    .flatMap((info) => loadingOf(info) ?? [])
    .reduce<Loading | undefined>(
      (slow, one) => (slow === undefined || one.percent < slow.percent ? one : slow),
      undefined,
    );
}
