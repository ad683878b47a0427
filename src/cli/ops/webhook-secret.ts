import { randomBytes } from 'node:crypto';
import { PushClock } from '../../webhooks/push.clock.js';
import { PUSH_DEFAULTS, type PushOptions } from '../../webhooks/push.options.js';
import { SecretStore } from '../../webhooks/signing/secret.store.js';
import type { SecretRing } from '../../webhooks/signing/secret-ring.js';
import { SigningKeys } from '../../webhooks/signing/signing-keys.js';
import { RedisClock, redisNow } from '../../platform/redis/redis-clock.js';
import type { RedisClient } from '../../platform/redis/connection/redis-client.js';
import { type KeyRing, masterKeysOf } from '../../secrets/key-ring.js';
import { SecretBox } from '../../secrets/secret-box.js';
import { OperatorError } from './operator-error.js';
import { type Output, table } from './output.js';

export interface WebhookSecretOptions {
  readonly tenant: string;
  readonly client: string;
  /** Creates the next secret. */
  readonly stage?: boolean;
  /** Makes the next secret the current one. */
  readonly promote?: boolean;
  /** Returns to the secret that is derived from the encryption keys. */
  readonly derived?: boolean;
}

const SECRET_BYTES = 32;

/**
 * Shows the signing secrets of a client's webhooks, after a rotation step if one is requested. Webhooks with their own
 * secret are not covered.
 * @throws OperatorError when two steps are requested at once, or there is nothing to promote
 */
export async function webhookSecret(
  redis: RedisClient,
  keyPrefix: string,
  keys: KeyRing,
  { tenant, client, ...steps }: WebhookSecretOptions,
): Promise<Output> {
  const options: PushOptions = { ...PUSH_DEFAULTS, keyPrefix, issuer: '', masterKeys: masterKeysOf(keys) };
  const store = new SecretStore(redis, options, new SecretBox(keys));
  const signing = new SigningKeys(store, new PushClock(await clockOf(redis)), options);
  if (Object.values(steps).filter(Boolean).length > 1) {
    throw new OperatorError('Use only one of --stage, --promote and --derived.');
  }
  if (steps.stage === true) await signing.stage(tenant, client, newKey(new Date()));
  if (steps.promote === true) await promote(signing, tenant, client);
  if (steps.derived === true) await signing.derive(tenant, client);
  return shown(await signing.ringOf(tenant, client));
}

async function clockOf(redis: RedisClient): Promise<RedisClock> {
  const [clock, sentAt] = [new RedisClock(), Date.now()];
  clock.observe(await redisNow(redis), sentAt);
  return clock;
}

async function promote(signing: SigningKeys, tenant: string, client: string): Promise<void> {
  const { staged } = await signing.ringOf(tenant, client);
  if (staged === undefined) throw new OperatorError('There is no next secret: run this command with --stage first.');
  await signing.promote(tenant, client);
}

function newKey(now: Date): { id: string; secret: string } {
  const id = `w${now.toISOString().replace(/\D/g, '').slice(0, 14)}`;
  return { id, secret: `whsec_${randomBytes(SECRET_BYTES).toString('base64')}` };
}

function shown({ current, staged, retired }: SecretRing): Output {
  const secrets = [
    { use: 'current', ...current },
    ...(staged === undefined ? [] : [{ use: 'next', ...staged }]),
    ...retired.map(({ key, until }) => ({ ...useOf(until), ...key })),
  ];
  const rows = secrets.map((row) => [row.use, row.id, row.secret, 'until' in row ? row.until : '']);
  return { json: { secrets }, text: table(['use', 'key id', 'secret', 'signs until'], rows) };
}

/** Secrets derived from older encryption keys and the next one sign as long as their key is configured. */
function useOf(until: number): { readonly use: 'also' } | { readonly use: 'former'; readonly until: string } {
  return Number.isFinite(until) ? { use: 'former', until: new Date(until).toISOString() } : { use: 'also' };
}
