import { authOptionsOf } from './auth/auth-settings.js';
import type { AuthOptions } from './auth/auth-options.js';
import type { Environment } from './config/environment.js';
import { parseAllowList } from './egress/allow-list.js';
import { GuardedClient } from './egress/guarded-client.js';
import { DEFAULT_LIMITS, type LimitOptions } from './limit/limit-options.js';
import type { PushModuleOptions } from './push/push.module.js';
import { PUSH_DEFAULTS } from './push/push.options.js';
import type { SigningKey } from './push/signature.js';
import { keysOfDataFolder } from './secret/key-file.js';
import { type KeyRing, parseKeyRing } from './secret/key-ring.js';
import { SecretBox } from './secret/secret-box.js';

/** How callers are known. Throws an error that names the variable to change. */
export function authSettings(environment: Environment): AuthOptions {
  return authOptionsOf(environment, publicUrl(environment));
}

function publicUrl({ PUBLIC_URL, HOST, PORT }: Environment): string {
  return PUBLIC_URL ?? `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${String(PORT)}`;
}

export function limitSettings({ KEY_PREFIX, API_REPLICAS }: Environment): LimitOptions {
  return { ...DEFAULT_LIMITS, keyPrefix: KEY_PREFIX, replicas: API_REPLICAS };
}

/**
 * What webhooks need; undefined where they are not offered: processes of several roles must share the keys that seal
 * their secrets, and none are set.
 */
export function pushSettings(environment: Environment, version: string): PushModuleOptions | undefined {
  const ring = keyRing(environment);
  if (ring === undefined) return undefined;
  const allow = parseAllowList(environment.EGRESS_ALLOW ?? '');
  return {
    options: {
      ...PUSH_DEFAULTS,
      keyPrefix: environment.KEY_PREFIX,
      userAgent: `parley/${version}`,
      issuer: publicUrl(environment),
      provesOwnership: environment.WEBHOOK_CHALLENGE,
      drainMs: environment.DRAIN_MS,
      masterKeys: signingKeys(ring),
    },
    client: new GuardedClient({ ports: [443, 8443], allowHttp: false, allow }),
    sealer: new SecretBox(ring),
  };
}

function keyRing({ SECRET_KEYS, ROLE, DATA_DIR }: Environment): KeyRing | undefined {
  if (SECRET_KEYS !== undefined) return parseKeyRing(SECRET_KEYS);
  return ROLE === 'all' ? parseKeyRing(keysOfDataFolder(DATA_DIR)) : undefined;
}

/** The same keys, as masters from which the signing secrets of callers without one of their own are derived. */
function signingKeys({ current, keys }: KeyRing): readonly [SigningKey, ...SigningKey[]] {
  const all = [...keys].map(([id, key]) => ({ id, secret: key.export().toString('base64') }));
  const [first = { id: current, secret: '' }, ...rest] = all;
  return [first, ...rest];
}
