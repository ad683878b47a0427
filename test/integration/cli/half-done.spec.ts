import { randomBytes } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { reencrypt } from '../../../src/cli/ops/keys/reencrypt.js';
import { OperatorError } from '../../../src/cli/ops/operator-error.js';
import { OpsModule } from '../../../src/cli/ops/ops.module.js';
import type { Output } from '../../../src/cli/ops/output.js';
import { purge } from '../../../src/cli/ops/tasks/purge.js';
import { redriveWebhooks } from '../../../src/cli/ops/webhooks.js';
import { loadConfig } from '../../../src/main/app.environment.js';
import { CommandRedis } from '../../../src/platform/redis/connection/connections.js';
import { isRedisOutage } from '../../../src/platform/redis/connection/redis-outage.js';
import { parseKeyRing } from '../../../src/secrets/key-ring.js';
import { SecretBox } from '../../../src/secrets/secret-box.js';
import { recordOf } from '../../../src/webhooks/config/push-record.js';
import { PushKeys } from '../../../src/webhooks/push.keys.js';
import { RedisServer } from '../../kit/redis/redis-server.js';
import { TaskStores } from '../../kit/tasks/task-stores.js';

const [OLD, NEW] = ['old', 'new'].map((id) => `${id}:${randomBytes(32).toString('base64')}`) as [string, string];
const TASKS = 20;

type Command = (service: INestApplicationContext, keyPrefix: string) => Promise<Output>;

const COMMANDS: readonly (readonly [string, Command, RegExp])[] = [
  [
    'ops purge',
    (service) => purge(service, { tenant: 'default', all: true, yes: true }),
    /^(\d+) of \d+ tasks deleted, then Redis did not answer: repeat the command\.$/,
  ],
  [
    'ops webhooks redrive',
    (service) => redriveWebhooks(service, { limit: '1000' }),
    /^0 webhooks redelivered, (\d+) skipped, then Redis did not answer: repeat the command\.$/,
  ],
  [
    'ops reencrypt',
    (service, keyPrefix) => reencrypt(service.get(CommandRedis), keyPrefix, parseKeyRing(`${NEW},${OLD}`)),
    /^(\d+) secrets? re-encrypted, then Redis did not answer: repeat the command\.$/,
  ],
];

describe('a command of many changes', () => {
  let server: RedisServer;
  let stores: TaskStores;

  beforeAll(async () => {
    server = await RedisServer.start({ config: { appendonly: 'no' } });
    stores = TaskStores.connect(server.url);
  }, 60_000);

  beforeEach(async () => {
    stores = new TaskStores(stores.redis);
    const keys = new PushKeys(stores.options.keyPrefix);
    const box = new SecretBox(parseKeyRing(OLD));
    for (let n = 0; n < TASKS; n += 1) {
      const { taskId } = await stores.completed({});
      const source = { id: 'hook', taskId, tenant: 'default', client: 'tests', dialect: '1.0' } as const;
      const record = recordOf({ url: 'https://hooks.example/in', token: 'a token' }, source, box);
      await stores.redis.hset(keys.push(taskId), 'config:hook', JSON.stringify(record), 'dead:hook', '{}');
      const name = `${taskId} hook 1`;
      const letter = { name, taskId, configId: 'hook', seq: 1, scope: 'gap', tenant: 'default', attempts: 1 };
      const { dead, deadTimes } = keys.deadOf(taskId);
      await stores.redis.hset(
        dead,
        name,
        JSON.stringify({ ...letter, origin: 'https://hooks.example', reason: 'x', at: '' }),
      );
      await stores.redis.zadd(deadTimes, Date.now(), name);
    }
  });

  afterAll(async () => {
    stores.redis.disconnect();
    await server.stop();
  });

  /** Runs a command whose Redis goes away before its n-th command. */
  async function run(command: Command, commands: number): Promise<unknown> {
    const { keyPrefix } = stores.options;
    const module = OpsModule.forRoot(loadConfig({ KEY_PREFIX: keyPrefix }), server.url);
    const service = await NestFactory.createApplicationContext(module, { logger: false });
    endBefore(service.get(CommandRedis), commands);
    try {
      return await command(service, keyPrefix);
    } catch (error) {
      return error;
    } finally {
      await service.close();
    }
  }

  it.each(COMMANDS)(
    'says how far it came when Redis goes away, and goes on from there: %s (M3)',
    async (_name, command, sentence) => {
      const counts: number[] = [];
      for (let commands = 20; ; commands += 12) {
        const outcome = await run(command, commands);
        if (!(outcome instanceof Error)) break;
        if (outcome instanceof OperatorError) counts.push(Number(sentence.exec(outcome.message)?.[1]));
        else expect([outcome.message, isRedisOutage(outcome)]).toEqual([outcome.message, true]);
      }
      // A sentence of another form gives NaN.
      expect(Math.max(...counts)).toBeGreaterThan(0);
      expect(Math.max(...counts)).toBeLessThan(TASKS);
    },
    60_000,
  );
});

/** Closes a connection before its n-th command, as a Redis does that goes away. */
function endBefore(redis: Redis, commands: number): void {
  const send = redis.sendCommand.bind(redis);
  let left = commands;
  redis.sendCommand = (...parameters: Parameters<typeof send>) => {
    left -= 1;
    if (left === 0) redis.disconnect();
    return send(...parameters);
  };
}
