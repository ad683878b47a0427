import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type RedisClient } from '../connection/redis-client.js';
import { withDeadline } from '../connection/deadline.js';
import { probeKey } from '../service.keys.js';
import type { PolicyFinding } from './redis-policy.js';

/** Hash slots in which a script is tried: on a Cluster of a few nodes each has some. */
const SLOTS = 16;
/** Time in which a message or a marker must arrive, ms. */
const ARRIVAL_MS = 1_000;
/** Time for everything, ms. */
const TOTAL_MS = 15_000;
/** Arguments of the largest call, one more than some managed servers take. The calls of the service stay below. */
const ARGUMENTS = 4_000;
/** Bytes of a request with a large message. */
const LARGE = 1024 * 1024;
/** Lifetime of a scratch key that a lost connection leaves, ms. */
const SCRATCH_MS = 5_000;

const SCRIPT = `redis.call('HSET', KEYS[1], 'a', redis.call('TIME')[1])
redis.call('PEXPIRE', KEYS[1], ${String(SCRATCH_MS)})
return redis.call('DEL', KEYS[1])`;
const UNDECLARED = "return redis.call('EXISTS', ARGV[1])";
const PUBLISH = "return redis.call('PUBLISH', ARGV[1], '1')";
const MARK = `redis.call('ZADD', KEYS[1], 0, '0')
return redis.call('PEXPIRE', KEYS[1], ${String(SCRATCH_MS)})`;
const NOTHING = 'return #ARGV';

interface Connections {
  readonly client: RedisClient;
  readonly subscriber: RedisClient;
  readonly blocking: RedisClient;
}

/** One use of Redis by the service, and the finding when it fails. */
interface Probe {
  readonly use: (connections: Connections, prefix: string, id: string) => Promise<unknown>;
  readonly finding: (reason: string) => PolicyFinding;
}

const PROBES: readonly Probe[] = [
  {
    use: async ({ client }, prefix, id) => {
      const keys = Array.from({ length: SLOTS }, (_, slot) => probeKey(prefix, id, slot));
      await Promise.all(keys.map((key) => client.eval(SCRIPT, 1, key)));
      await client.evalsha(createHash('sha1').update(SCRIPT).digest('hex'), 1, keys[0] ?? '');
      const results = await client.multi().exists(probeKey(prefix, id)).exec();
      for (const [error] of results ?? []) if (error !== null) throw error;
    },
    finding: (reason) => ({ severity: 'refuse', text: `scripts or transactions do not run here: ${reason}` }),
  },
  {
    use: published,
    finding: (reason) =>
      refusal('publish', `events of scripts do not reach subscribers, so streams are late: ${reason}`),
  },
  {
    use: popped,
    finding: (reason) => refusal('blocking', `scripts do not wake workers, so runs begin late: ${reason}`),
  },
  {
    use: ({ client }, prefix, id) => client.eval(UNDECLARED, 1, probeKey(prefix, id), probeKey(prefix, `${id}-other`)),
    finding: () => note('keys that a script does not declare are refused: those of the service declare all'),
  },
  {
    use: ({ client }, prefix, id) =>
      client.eval(NOTHING, 1, probeKey(prefix, id), ...Array<string>(ARGUMENTS - 4).fill('')),
    finding: () => note(`calls of ${String(ARGUMENTS)} arguments are refused: those of the service have fewer`),
  },
  {
    use: ({ client }, prefix, id) => client.eval(NOTHING, 1, probeKey(prefix, id), 'x'.repeat(LARGE)),
    finding: (reason) => ({
      severity: 'warn',
      text: `requests of ${String(LARGE)} bytes are refused, and with them messages with large files: ${reason}`,
    }),
  },
  {
    use: ({ client }) => client.wait(0, 1),
    finding: () => note('WAIT is refused: REDIS_WAIT_REPLICAS must stay 0'),
  },
];

/**
 * Tries what the service does with Redis, on scratch keys that do not stay: scripts in many slots, publishing, waking a
 * blocked client, large calls. About thirty commands, none of which reads or lists the keys of others.
 */
export async function probeRedis(url: string, keyPrefix: string): Promise<readonly PolicyFinding[]> {
  const [client, subscriber, blocking] = [connect(url, 'command'), connect(url, 'command'), connect(url, 'blocking')];
  const all = [client, subscriber, blocking];
  for (const one of all) one.on('error', () => undefined);
  try {
    return await withDeadline(findingsOf({ client, subscriber, blocking }, keyPrefix), TOTAL_MS);
  } finally {
    for (const one of all) one.disconnect();
  }
}

/** In turn: a proxy that ends the connection of a refused command must not spoil the other probes. */
async function findingsOf(connections: Connections, keyPrefix: string): Promise<readonly PolicyFinding[]> {
  const id = randomUUID();
  const findings: PolicyFinding[] = [];
  for (const { use, finding } of PROBES) {
    await use(connections, keyPrefix, id).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      // Full memory is no property of the product, and has a check of its own.
      if (!reason.startsWith('OOM')) findings.push(finding(reason));
    });
  }
  return findings;
}

async function published({ client, subscriber }: Connections, prefix: string, id: string): Promise<void> {
  const channel = probeKey(prefix, id);
  await subscriber.subscribe(channel);
  const arrival = once(subscriber, 'message');
  await client.eval(PUBLISH, 1, probeKey(prefix, id), channel);
  await withDeadline(arrival, ARRIVAL_MS, () => new Error(`no message within ${String(ARRIVAL_MS)} ms`));
}

async function popped({ client, blocking }: Connections, prefix: string, id: string): Promise<void> {
  const key = probeKey(prefix, `${id}-marker`);
  try {
    await blocking.ping();
    const pop = blocking.bzpopmin(key, (2 * ARRIVAL_MS) / 1000);
    // A round trip after the pop was sent: the pop waits when the marker comes.
    await client.ping();
    const [woken] = await Promise.all([
      withDeadline(pop, ARRIVAL_MS, () => new Error(`not woken within ${String(ARRIVAL_MS)} ms`)),
      client.eval(MARK, 1, key),
    ]);
    if (woken === null) throw new Error('not woken');
  } finally {
    await client.del(key).catch(() => undefined);
  }
}

function refusal(code: string, text: string): PolicyFinding {
  return { severity: 'refuse', code, text, fix: 'use another server' };
}

function note(text: string): PolicyFinding {
  return { severity: 'note', text };
}
