import { StoredSecrets } from '../push/signing/stored-secrets.js';
import type { RedisClient } from '../platform/redis/redis-client.js';
import type { KeyRing } from '../security/secret/key-ring.js';
import { keyIdOf, SealBroken, SecretBox } from '../security/secret/secret-box.js';
import type { Output } from './output.js';

/** What was done, in secrets. */
export interface Resealed {
  /** Sealed with the first key now. */
  readonly resealed: number;
  /** Were already. */
  readonly already: number;
  /** Were changed by the service meanwhile, and left to another run. */
  readonly changed: number;
  /** By the ids of their keys: do not open, and were left as they are. */
  readonly closed: Readonly<Record<string, number>>;
  /** Keys that nothing in Redis needs any more. */
  readonly idle: readonly string[];
}

/**
 * Seals every secret in Redis with the first key of the ring. Each is replaced in one step and only where nothing else
 * was written meanwhile, so the service may go on, and a run that broke off is simply repeated.
 */
export async function reseal(redis: RedisClient, keyPrefix: string, ring: KeyRing): Promise<Output & Resealed> {
  const done = await resealAll(new StoredSecrets(redis, keyPrefix), ring);
  return { json: done, text: textOf(done, ring), ...done };
}

async function resealAll(secrets: StoredSecrets, ring: KeyRing): Promise<Resealed> {
  const box = new SecretBox(ring);
  const closed: Record<string, number> = {};
  let [resealed, already, changed] = [0, 0, 0];
  for await (const secret of secrets.all()) {
    try {
      const next = box.reseal(secret.sealed, secret.owner);
      if (next === undefined) already += 1;
      else if (await secrets.replace(secret, next)) resealed += 1;
      else changed += 1;
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error;
      const id = keyIdOf(secret.sealed);
      closed[id] = (closed[id] ?? 0) + 1;
    }
  }
  const others = [...ring.keys.keys()].filter((id) => id !== ring.current && closed[id] === undefined);
  return { resealed, already, changed, closed, idle: changed === 0 ? others : [] };
}

function textOf({ resealed, already, changed, closed, idle }: Resealed, { current }: KeyRing): string {
  const lines = [`${String(resealed)} secrets were sealed again with ${current}; ${String(already)} were already.`];
  if (changed > 0) lines.push(`${String(changed)} were changed by the service meanwhile: run this again.`);
  for (const [id, count] of Object.entries(closed)) {
    lines.push(`${String(count)} do not open, sealed with ${id}: put that key back behind the first one.`);
  }
  if (idle.length > 0) {
    lines.push(
      `Nothing in Redis needs ${idle.join(', ')} any more. Before you remove it from the keys: every process was started`,
      `with ${current} as its first key, and receivers know the secrets that follow from ${current} ("parley webhooks secret").`,
    );
  }
  return lines.join('\n');
}
