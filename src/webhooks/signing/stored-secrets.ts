import { scanKeys } from '../../platform/redis/scan-keys.js';
import type { RedisClient } from '../../platform/redis/connection/redis-client.js';
import { PushKeys } from '../push.keys.js';
import { parseRecord, type SealOwner, sealOwnerOf } from '../config/push-record.js';
import { PUSH_SCRIPTS } from '../push.scripts.js';
import { sealOwner } from './secret.store.js';

/** A ciphertext and its location in Redis. */
export interface StoredSecret {
  readonly key: string;
  /** Field of a hash; '' when the key is a string. */
  readonly field: string;
  /** The stored value that contains the ciphertext. */
  readonly text: string;
  readonly sealed: string;
  readonly owner: SealOwner;
}

/** Iterates over all ciphertexts in Redis, for operators: scans every key, while the service runs. */
export class StoredSecrets {
  private readonly keys: PushKeys;

  constructor(
    private readonly redis: RedisClient,
    keyPrefix: string,
  ) {
    this.keys = new PushKeys(keyPrefix);
  }

  /** Ciphertexts of webhooks and of the clients' signing secrets. */
  async *all(): AsyncGenerator<StoredSecret, void, void> {
    yield* this.ofClients();
    yield* this.ofWebhooks();
  }

  async *ofWebhooks(): AsyncGenerator<StoredSecret, void, void> {
    for await (const key of scanKeys(this.redis, this.keys.everyPush)) {
      for (const [field, text] of Object.entries(await this.redis.hgetall(key))) {
        const record = field.startsWith('config:') ? parseRecord(text) : undefined;
        if (record?.sealed === undefined) continue;
        yield { key, field, text, sealed: record.sealed, owner: sealOwnerOf(record) };
      }
    }
  }

  /** Replaces a ciphertext; false if it has changed or was deleted meanwhile. */
  async replace({ key, field, text, sealed }: StoredSecret, next: string): Promise<boolean> {
    // A ciphertext has no character that JSON would escape, and occurs once.
    const args = { name: field, expected: text, replacement: text.replace(sealed, next) };
    const reply = await PUSH_SCRIPTS.replace.run(this.redis, { secret: key }, args);
    return reply === 1;
  }

  private async *ofClients(): AsyncGenerator<StoredSecret, void, void> {
    for await (const key of scanKeys(this.redis, this.keys.everySecrets)) {
      const text = await this.redis.get(key);
      const { tenant, client } = this.keys.clientOf(key);
      if (text !== null) yield { key, field: '', text, sealed: text, owner: sealOwner(tenant, client) };
    }
  }
}
