import { ReplyError } from 'ioredis';
import { withoutCredentials } from '../../config/checks/redis-address.js';
import { askOnce } from '../connection/ask-once.js';
import { awaitLoaded } from './await-loaded.js';
import { type LoadingWait, StillLoading } from '../connection/loading.js';
import { connect } from '../connection/redis-client.js';
import { type OnOutage, untilAnswered } from '../connection/until-answered.js';
import { probeRedis } from './probes.js';
import { acceptable, findingText, judgeRedis, readRedisFacts, type RedisFacts } from './redis-policy.js';
import { enterSchema, tooOldFor } from './stored-schema.js';

/** A Redis that this service must not use. The message is one line for the operator and names the variable. */
export class UnfitRedis extends Error {
  override readonly name = 'UnfitRedis';
}

/**
 * Waits for a loading Redis, and checks that it is reachable and keeps its data: a service without Redis seems alive
 * and does nothing, and a Redis that may evict loses tasks. Probes a product that the suites do not run on.
 * @returns warnings for the operator
 * @throws UnfitRedis
 */
export async function assertFit(
  url: string,
  wait: LoadingWait,
  { keyPrefix = 'parley', accept = [] }: { readonly keyPrefix?: string; readonly accept?: readonly string[] } = {},
): Promise<readonly string[]> {
  const facts = await factsOnceLoaded(url, wait);
  const judged = judgeRedis(facts, accept);
  const probes = facts.some(({ flavour }) => flavour.isProbed) ? await probeRedis(url, keyPrefix) : [];
  const findings = [...judged, ...probes.map((finding) => acceptable(finding, accept))];
  const refusal = findings.find(({ severity }) => severity === 'refuse');
  if (refusal !== undefined) throw new UnfitRedis(`REDIS_URL: ${findingText(refusal)}.`);
  return findings.filter(({ severity }) => severity === 'warn').map((finding) => `REDIS_URL: ${findingText(finding)}`);
}

/** Refuses data written by newer code in another format. Waits for Redis. @throws UnfitRedis */
export async function assertReadable(url: string, keyPrefix: string, onOutage: OnOutage): Promise<void> {
  const client = connect(url, 'command');
  client.on('error', () => undefined);
  try {
    const tooOld = tooOldFor(await untilAnswered(() => enterSchema(client, keyPrefix), onOutage));
    if (tooOld !== undefined) throw new UnfitRedis(`${tooOld}.`);
  } finally {
    client.disconnect();
  }
}

async function factsOnceLoaded(url: string, { mostMs, ...wait }: LoadingWait): Promise<readonly RedisFacts[]> {
  const deadline = Date.now() + mostMs;
  try {
    let failure: Error | undefined;
    for (;;) {
      const answered = await awaitLoaded(url, { ...wait, mostMs: Math.max(0, deadline - Date.now()) });
      if (failure !== undefined && (!answered || Date.now() > deadline)) throw failure;
      const facts = await askOnce(url, readRedisFacts).catch((error: unknown) => {
        if (!(error instanceof Error) || isReply(error)) throw error;
        // The server is slow, or was restarted and is loading only now.
        failure = error;
      });
      if (facts !== undefined) return facts;
    }
  } catch (error) {
    const host = withoutCredentials(url);
    if (error instanceof StillLoading) {
      throw new UnfitRedis(`REDIS_URL: Redis at ${host} ${error.message} (redis.loadingSeconds).`, { cause: error });
    }
    const reason = error instanceof Error ? error.message : String(error);
    throw new UnfitRedis(`REDIS_URL: Redis at ${host} cannot be reached (${reason}).`, { cause: error });
  }
}

/** Whether Redis itself refused, the password for example. */
function isReply(error: Error): boolean {
  return error instanceof ReplyError || error.cause instanceof ReplyError;
}
