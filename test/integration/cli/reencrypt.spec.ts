import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { reencrypt, type Reencrypted } from '../../../src/cli/ops/keys/reencrypt.js';
import { webhookSecret } from '../../../src/cli/ops/webhook-secret.js';
import { PushKeys } from '../../../src/webhooks/push.keys.js';
import { recordOf } from '../../../src/webhooks/config/push-record.js';
import { StoredSecrets } from '../../../src/webhooks/signing/stored-secrets.js';
import { connect, type RedisClient } from '../../../src/platform/redis/connection/redis-client.js';
import { parseKeyRing } from '../../../src/secrets/key-ring.js';
import { SecretBox } from '../../../src/secrets/secret-box.js';
import { CredentialStore } from '../../../src/mcp-tools/connection/credential.store.js';
import { ToolKeys } from '../../../src/mcp-tools/tool.keys.js';
import { newTaskId } from '../../../src/tasks/task.keys.js';
import { testRedisUrl } from '../../kit/redis/shared-redis.js';

const [OLD, NEW] = ['old', 'new'].map((id) => `${id}:${randomBytes(32).toString('base64')}`) as [string, string];
const ROTATED = parseKeyRing(`${NEW},${OLD}`);
const WEBHOOKS = 30;

describe(reencrypt.name, () => {
  let redis: RedisClient;
  let keyPrefix: string;

  beforeAll(() => {
    redis = connect(testRedisUrl(), 'command');
  });

  beforeEach(async () => {
    keyPrefix = `test-${randomUUID()}`;
    const box = new SecretBox(parseKeyRing(OLD));
    for (let n = 0; n < WEBHOOKS; n += 1) await register(newTaskId(n % 16), box);
    await webhookSecret(redis, keyPrefix, parseKeyRing(OLD), { tenant: 'a/b:c', client: 'é *', stage: true });
  });

  afterAll(() => {
    redis.disconnect();
  });

  async function register(taskId: string, box: SecretBox): Promise<string> {
    const config = { url: 'https://hooks.example/in?key=1', token: 'a token' };
    const source = { id: 'hook', taskId, tenant: 'acme', client: 'crm', dialect: '1.0' } as const;
    const key = new PushKeys(keyPrefix).push(taskId);
    await redis.hset(key, 'config:hook', JSON.stringify(recordOf(config, source, box)), 'next:hook', '1');
    await redis.expire(key, 1000);
    return key;
  }

  async function run(ring = ROTATED, on = redis): Promise<Reencrypted> {
    return (await reencrypt(on, keyPrefix, ring)).json as Reencrypted;
  }

  /** How many secrets these keys open. */
  async function opened(keys: string): Promise<number> {
    const box = new SecretBox(parseKeyRing(keys));
    let count = 0;
    for await (const { sealed, owner } of new StoredSecrets(redis, keyPrefix).all()) {
      box.open(sealed, owner);
      count += 1;
    }
    return count;
  }

  it('seals webhooks and the secrets of clients with the first key, so that the old one can go (A2A-SEC-07)', async () => {
    await expect(opened(NEW)).rejects.toThrow('There is no encryption key old');
    expect(await run()).toEqual({ reencrypted: WEBHOOKS + 1, already: 0, changed: 0, closed: {}, idle: ['old'] });
    expect(await opened(NEW)).toBe(WEBHOOKS + 1);
    const { json } = await webhookSecret(redis, keyPrefix, parseKeyRing(NEW), { tenant: 'a/b:c', client: 'é *' });
    expect(json).toMatchObject({ secrets: [{ use: 'current', id: 'old' }, { use: 'next' }] });
  });

  it('seals the credentials of tenants for tool servers with it too', async () => {
    const keys = new ToolKeys(keyPrefix);
    await new CredentialStore(redis, keys, new SecretBox(parseKeyRing(OLD))).set('tickets', 'a/b:c', 'a token');
    expect(await run()).toMatchObject({ reencrypted: WEBHOOKS + 2, idle: ['old'] });
    const opening = new CredentialStore(redis, keys, new SecretBox(parseKeyRing(NEW)));
    expect(await opening.of('tickets', 'a/b:c')).toBe('a token');
  });

  it('can be repeated after a run that broke off', async () => {
    let replaced = 0;
    const dying = new Proxy(redis, {
      get: (target, name) => {
        if (name === 'evalsha' && (replaced += 1) > 10) throw new Error('the run is over');
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    await expect(run(ROTATED, dying)).rejects.toThrow('the run is over');
    expect(await opened(`${NEW},${OLD}`)).toBe(WEBHOOKS + 1);
    expect(await run()).toMatchObject({ reencrypted: WEBHOOKS - 9, already: 10, idle: ['old'] });
    expect(await run()).toMatchObject({ reencrypted: 0, already: WEBHOOKS + 1 });
    expect(await opened(NEW)).toBe(WEBHOOKS + 1);
  });

  it('changes nothing else: cursors and times of life stay', async () => {
    const key = await register(newTaskId(3), new SecretBox(parseKeyRing(OLD)));
    await run();
    expect(await redis.hget(key, 'next:hook')).toBe('1');
    expect(await redis.ttl(key)).toBeGreaterThan(900);
  });

  it('leaves alone what the service has written or removed meanwhile', async () => {
    const secrets = new StoredSecrets(redis, keyPrefix);
    const box = new SecretBox(ROTATED);
    for await (const secret of secrets.ofWebhooks()) {
      const newer = JSON.stringify({ ...(JSON.parse(secret.text) as object), scheme: 'Bearer' });
      await redis.hset(secret.key, secret.field, newer);
      expect(await secrets.replace(secret, box.reencrypt(secret.sealed, secret.owner) ?? '')).toBe(false);
      expect(await redis.hget(secret.key, secret.field)).toBe(newer);
      await redis.del(secret.key);
      expect(await secrets.replace(secret, 'gone')).toBe(false);
      expect(await redis.exists(secret.key)).toBe(0);
      return;
    }
    throw new Error('there are webhooks');
  });

  it('names the keys that are missing, and lets none go that something needs', async () => {
    const lost = `lost:${randomBytes(32).toString('base64')}`;
    const key = await register(newTaskId(5), new SecretBox(parseKeyRing(lost)));
    const before = await redis.hgetall(key);
    const { json, text } = await reencrypt(redis, keyPrefix, ROTATED);
    expect(json).toMatchObject({ reencrypted: WEBHOOKS + 1, closed: { lost: 1 }, idle: ['old'] });
    expect(text).toContain('1 cannot be decrypted with these keys: add key lost again');
    expect(await redis.hgetall(key)).toEqual(before);
  });
});

describe(webhookSecret.name, () => {
  const redis = connect(testRedisUrl(), 'command');
  const keyPrefix = `test-${randomUUID()}`;

  afterAll(() => {
    redis.disconnect();
  });

  async function uses(step: 'stage' | 'promote' | 'derived' | 'none'): Promise<readonly string[]> {
    const options = { tenant: 'acme', client: 'crm', ...(step === 'none' ? {} : { [step]: true }) };
    const { json } = await webhookSecret(redis, keyPrefix, ROTATED, options);
    const { secrets } = json as { secrets: { use: string; id: string; secret: string }[] };
    for (const { secret } of secrets) expect(secret).toMatch(/^whsec_/);
    return secrets.map(({ use, id }) => `${use} ${id.replace(/^w\d{14}$/, 'own')}`);
  }

  it('gives a client secrets of its own in two steps, and takes them back', async () => {
    expect(await uses('none')).toEqual(['current new', 'also old']);
    await expect(uses('promote')).rejects.toThrow('There is no next secret');
    expect(await uses('stage')).toEqual(['current new', 'next own', 'former old']);
    expect(await uses('promote')).toEqual(['current own', 'former new', 'former old']);
    expect(await uses('derived')).toEqual(['current new', 'former own', 'former new', 'former old', 'also old']);
    expect(await uses('derived')).toEqual(['current new', 'former own', 'former new', 'former old', 'also old']);
    expect(await redis.pttl(new PushKeys(keyPrefix).secrets('acme', 'crm'))).toBeGreaterThan(0);
    await redis.del(new PushKeys(keyPrefix).secrets('acme', 'crm'));
  });

  it('has a next secret sign for another day where the derived one is taken again instead (B19)', async () => {
    expect(await uses('stage')).toEqual(['current new', 'next own', 'former old']);
    expect(await uses('derived')).toEqual(['current new', 'former new', 'former own', 'former old', 'also old']);
    expect(await uses('stage')).toContain('next own');
    await redis.del(new PushKeys(keyPrefix).secrets('acme', 'crm'));
  });

  it('keeps a next secret that receivers may know when another one follows, for a day (B21)', async () => {
    expect(await uses('stage')).toEqual(['current new', 'next own', 'former old']);
    expect(await uses('stage')).toEqual(['current new', 'next own', 'former own', 'former old']);
    expect(await uses('promote')).toEqual(['current own', 'former new', 'former own', 'former old']);
  });
});
