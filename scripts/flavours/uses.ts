import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { checkRedis } from '../../src/cli/ops/doctor/redis-check.js';
import { ServiceProcess } from '../../test/kit/app/service-process.mjs';
import { aMessage, RpcClient } from '../../test/kit/callers/rpc-client.js';
import { RedisServer } from '../../test/kit/redis/redis-server.js';
import { eventually } from '../../test/kit/run/eventually.js';
import { PROGRAM_VARIABLE } from '../../test/kit/redis/redis-program.js';
import { survive } from '../chaos/load/survive.js';
import { Random } from '../chaos/load/random.js';
import type { FleetOptions } from '../chaos/fleet/fleet.js';

const run = promisify(execFile);
const DEMO = fileURLToPath(new URL('../demo.mjs', import.meta.url));
const KEPT = 20;
const NUMBERS = 20;
const PATIENCE = { timeoutMs: 120_000, intervalMs: 200 };

/** The address of a Redis, and the variables that a service needs for it besides. */
export interface Address {
  readonly url: string;
  readonly variables?: Readonly<Record<string, string>>;
}

/** What the doctor says of a Redis. @throws Error with what it finds wrong */
export async function examined({ url }: Address, keyPrefix: string, accept: readonly string[] = []): Promise<string> {
  const findings = await checkRedis(url, { keyPrefix, accept });
  const [wrong] = findings.filter(({ severity }) => severity === 'fail');
  if (wrong !== undefined) throw new Error(wrong.text);
  return (findings[0]?.text ?? '').replace(/ answers in.*/, '');
}

/** One call of a service that has just started. */
export async function firstCall({ url, variables }: Address): Promise<undefined> {
  await withService({ REDIS_URL: url, ...variables }, async (client) => {
    const { status } = await client.task('SendMessage', aMessage('Hello', { skillId: 'echo' }));
    if (status.state !== 'TASK_STATE_COMPLETED') throw new Error(`The first task is ${status.state}`);
  });
}

/** `npm run demo`: a stream, a cancellation, trees of agents, an invoice with an approval. */
export async function demo({ url, variables }: Address): Promise<undefined> {
  const env = { ...process.env, DEMO_VARIABLES: JSON.stringify({ REDIS_URL: url, ...variables }) };
  await run(process.execPath, [DEMO], { env, timeout: 300_000 }).catch((error: unknown) => {
    const { stdout = '' } = error as { readonly stdout?: string };
    throw new Error(`The demo failed: ${stdout.split('\n').slice(-12).join(' / ')}`, { cause: error });
  });
  return undefined;
}

/**
 * Tasks of all kinds (steps, questions, cancellations, streams, webhooks) while workers are killed and, if `redisKillMs` is not
 * 0, Redis too; the checker of the chaos harness judges.
 */
export async function mixedUnderKill(
  tasks: number,
  redisKillMs: number,
  fleet: Partial<FleetOptions> = {},
): Promise<string> {
  const random = new Random(7);
  let redisKills = 0;
  const {
    broken,
    fleet: survivor,
    seconds,
  } = await survive(
    {
      fleet: {
        ...{ size: { api: 1, worker: 3, dispatcher: 1 }, standby: { worker: 2 }, taskOptions: { maxAttempts: 100 } },
        ...{ mayFailToStart: true, ...fleet },
      },
      workload: {
        ...{ tasks, callers: 6, steps: [2, 8], pauseMs: [20, 100] },
        ...{ canceledShare: 0.05, askingShare: 0.1, readShare: 0.05, hookedShare: 0.05 },
      },
      timeoutMs: 600_000,
      harm: async (harmed, work) => {
        const killed = (): Promise<void> =>
          harmed.killWhile(work, { role: 'worker', everyMs: 3_000, least: 1, random });
        redisKills = await harmed.killRedisWhile(killed, redisKillMs);
      },
    },
    random,
  );
  if (broken.length > 0) throw new Error(broken.join('; '));
  const kills = `${String(survivor.kills.length)} workers and ${String(redisKills)} times Redis killed`;
  return `${String(tasks)} tasks, ${kills}, ${String(seconds)} s`;
}

/**
 * A service over the data that another server has written, with a task under way: `program` starts on the folder of the server
 * `oldProgram`.
 */
export async function overOldData(oldProgram: string, program: string): Promise<undefined> {
  useProgram(oldProgram);
  const redis = await RedisServer.start();
  const variables = { REDIS_URL: redis.url, KEY_PREFIX: 'old' };
  try {
    const ids: string[] = [];
    let under = '';
    await withService(
      variables,
      async (client) => {
        for (let at = 0; at < KEPT; at += 1) ids.push((await client.task('SendMessage', aMessage('Hello'))).id);
        const message = aMessage(String(NUMBERS), { skillId: 'countdown' });
        under = (await client.task('SendMessage', { ...message, configuration: { returnImmediately: true } })).id;
        await eventually(async () => {
          if ((await client.task('GetTask', { id: under })).artifacts === undefined) throw new Error('no number yet');
        }, PATIENCE);
      },
      'SIGKILL',
    );
    await redis.kill();
    useProgram(program);
    await redis.launch();
    await withService(variables, async (client) => {
      for (const id of [...ids, under]) {
        await eventually(async () => {
          const { status } = await client.task('GetTask', { id });
          if (status.state !== 'TASK_STATE_COMPLETED') throw new Error(`a task is ${status.state}`);
        }, PATIENCE);
      }
      const { result } = await client.call('ListTasks', {});
      if (result?.totalSize !== KEPT + 1) throw new Error(`${String(result?.totalSize)} tasks are listed`);
    });
  } finally {
    await redis.stop();
  }
}

/** The server program that `RedisServer` starts from now on. */
export function useProgram(program: string): void {
  process.env[PROGRAM_VARIABLE] = program;
}

async function withService(
  variables: Readonly<Record<string, string>>,
  use: (client: RpcClient) => Promise<void>,
  signal: NodeJS.Signals = 'SIGTERM',
): Promise<void> {
  const service = new ServiceProcess({ AUDIT_LOG: '/dev/null', SECRET_KEYS: SECRET, DRAIN_MS: '1000', ...variables });
  try {
    await use(new RpcClient(await service.ready()));
  } finally {
    await service.stop(signal);
  }
}

const SECRET = `flavours:${Buffer.alloc(32, 7).toString('base64')}`;
