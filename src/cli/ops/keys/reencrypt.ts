import { type StoredSecret, StoredSecrets } from '../../../webhooks/signing/stored-secrets.js';
import type { RedisClient } from '../../../platform/redis/connection/redis-client.js';
import type { KeyRing } from '../../../secrets/key-ring.js';
import { keyIdOf, SealBroken, SecretBox } from '../../../secrets/secret-box.js';
import { storedCredentials } from '../../../mcp-tools/connection/credential.store.js';
import { ToolKeys } from '../../../mcp-tools/tool.keys.js';
import { orHalfDone } from '../half-done.js';
import { counted, type Output } from '../output.js';

/** Counts of secrets. */
export interface Reencrypted {
  /** Re-encrypted with the first key. */
  readonly reencrypted: number;
  /** Already encrypted with the first key. */
  readonly already: number;
  /** Changed by the service meanwhile; left to another run. */
  readonly changed: number;
  /** By key id: cannot be decrypted, left unchanged. */
  readonly closed: Readonly<Record<string, number>>;
  /** Keys that no secret in Redis needs any more. */
  readonly idle: readonly string[];
}

/**
 * Re-encrypts every secret in Redis with the first key of the ring. Each is replaced atomically, and only if it was not
 * changed meanwhile. So the service may keep running, and an interrupted run can be repeated.
 */
export async function reencrypt(redis: RedisClient, keyPrefix: string, ring: KeyRing): Promise<Output & Reencrypted> {
  const secrets = new StoredSecrets(redis, keyPrefix);
  const all = everySecret(secrets, storedCredentials(redis, new ToolKeys(keyPrefix)));
  const done = await reencryptAll(all, (secret, next) => secrets.replace(secret, next), ring);
  return { json: done, text: textOf(done, ring), ...done };
}

/** Secrets of webhooks and of clients, and the credentials of tenants for tool servers. */
async function* everySecret(
  secrets: StoredSecrets,
  credentials: AsyncIterable<StoredSecret>,
): AsyncGenerator<StoredSecret, void, void> {
  yield* secrets.all();
  yield* credentials;
}

async function reencryptAll(
  secrets: AsyncIterable<StoredSecret>,
  replace: (secret: StoredSecret, next: string) => Promise<boolean>,
  ring: KeyRing,
): Promise<Reencrypted> {
  const box = new SecretBox(ring);
  const closed: Record<string, number> = {};
  let [reencrypted, already, changed] = [0, 0, 0];
  const visit = async (secret: StoredSecret): Promise<void> => {
    try {
      const next = box.reencrypt(secret.sealed, secret.owner);
      if (next === undefined) already += 1;
      else if (await replace(secret, next)) reencrypted += 1;
      else changed += 1;
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error;
      const id = keyIdOf(secret.sealed);
      closed[id] = (closed[id] ?? 0) + 1;
    }
  };
  await orHalfDone(
    () => `${counted(reencrypted, 'secret')} re-encrypted`,
    async () => {
      for await (const secret of secrets) await visit(secret);
    },
  );
  const others = [...ring.keys.keys()].filter((id) => id !== ring.current && closed[id] === undefined);
  return { reencrypted, already, changed, closed, idle: changed === 0 ? others : [] };
}

function textOf({ reencrypted, already, changed, closed, idle }: Reencrypted, { current }: KeyRing): string {
  const lines = [`Re-encrypted ${String(reencrypted)} secrets with ${current}; ${String(already)} already used it.`];
  if (changed > 0) lines.push(`${String(changed)} were changed by the service meanwhile: run this command again.`);
  for (const [id, count] of Object.entries(closed)) {
    lines.push(`${String(count)} cannot be decrypted with these keys: add key ${id} again, behind the first one.`);
  }
  if (idle.length > 0) {
    lines.push(
      `No secret in Redis needs ${idle.join(', ')} any more. Before you remove it, check that every process was restarted`,
      `with ${current} as its first key, and that receivers have the secrets of ${current} ("parley ops webhooks secret").`,
    );
  }
  return lines.join('\n');
}
