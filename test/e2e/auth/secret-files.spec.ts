import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';
import { RedisServer } from '../../kit/redis/redis-server.js';
import { eventually } from '../../kit/run/eventually.js';
import { temporaryFolder } from '../../kit/run/temporary-folder.mjs';
import { Redis } from 'ioredis';

const OWNER = { tenant: 'acme', scopes: 'a2a:message.send a2a:tasks.read' };
/** The load of a fast machine must not be refused. */
const PLENTY = '6000000/1000000';
const KEYS = { old: 'old.0123456789abcdef', new: 'new.0123456789abcdef' };

describe('secrets from files that change while the service is under load', () => {
  let redis: RedisServer;
  let service: RunningApp;
  let files: { readonly apiKeys: string; readonly redis: string };

  beforeEach(async () => {
    redis = await RedisServer.start();
    await asOperator((client) => client.acl('SETUSER', 'parley', 'on', '>first', '~*', '&*', '+@all'));
    const folder = temporaryFolder('secrets');
    files = { apiKeys: join(folder, 'api-keys'), redis: join(folder, 'redis') };
    writeKeys('old');
    writeFileSync(files.redis, addressWith('first'));
    const rates = { RATE_WRITE: PLENTY, RATE_FAILURE: PLENTY, RATE_ADDRESS: PLENTY };
    service = await runApp({ API_KEYS_FILE: files.apiKeys, REDIS_URL_FILE: files.redis, ...rates });
  });
  afterEach(async () => {
    await service.close();
    await redis.stop();
  });

  const writeKeys = (...names: readonly (keyof typeof KEYS)[]): void =>
    writeFileSync(files.apiKeys, names.map((name) => apiKeyEntry(KEYS[name], OWNER)).join('\n'));
  const addressWith = (password: string): string => redis.url.replace('://', `://parley:${password}@`);
  const send = async (key: string): Promise<unknown> =>
    (await new RpcClient(service.url, { 'x-api-key': key }).task('SendMessage', aMessage('hi'))).status.state;

  async function asOperator(work: (client: Redis) => Promise<unknown>): Promise<void> {
    const client = new Redis(redis.url);
    await work(client);
    client.disconnect();
  }

  /** Calls one after the other until `end`. Gives what failed. */
  async function underLoad(key: string, work: () => Promise<void>): Promise<readonly unknown[]> {
    const load = { failed: [] as unknown[], isOn: true };
    const calls = (async () => {
      while (load.isOn) await send(key).catch((error: unknown) => load.failed.push(error));
    })();
    await work();
    load.isOn = false;
    await calls;
    return load.failed;
  }

  it('lets a new API key in beside the old one, and then the new one alone (FITS-12)', async () => {
    const failed = await underLoad(KEYS.old, async () => {
      writeKeys('old', 'new');
      await eventually(() => send(KEYS.new));
    });
    expect(failed).toEqual([]);
    writeKeys('new');
    await eventually(() => expect(send(KEYS.old)).rejects.toThrow());
    expect(await send(KEYS.new)).toBe('TASK_STATE_COMPLETED');
  });

  it('opens connections to Redis with its present password (FITS-12)', async () => {
    const failed = await underLoad(KEYS.old, async () => {
      await asOperator((client) => client.acl('SETUSER', 'parley', '>second'));
      writeFileSync(files.redis, addressWith('second'));
      await asOperator((client) => client.acl('SETUSER', 'parley', '<first'));
    });
    expect(failed).toEqual([]);
    await asOperator((client) => client.call('CLIENT', 'KILL', 'USER', 'parley'));
    await eventually(async () => expect(await send(KEYS.old)).toBe('TASK_STATE_COMPLETED'));
    await eventually(async () => expect((await fetch(`${service.url}/health/ready`)).status).toBe(200));
    const names = await usersOfConnections();
    expect(new Set(names)).toEqual(new Set(['parley']));
  });

  async function usersOfConnections(): Promise<readonly string[]> {
    const client = new Redis(redis.url);
    const list = String(await client.client('LIST'));
    client.disconnect();
    const users = list.split('\n').flatMap((line) => /user=(\S+)/.exec(line)?.[1] ?? []);
    return users.filter((user) => user !== 'default');
  }
});
