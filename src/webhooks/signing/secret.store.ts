import { Inject, Injectable } from '@nestjs/common';
import { CommandRedis } from '../../platform/redis/connection/connections.js';
import { PushKeys } from '../push.keys.js';
import { PushOptions } from '../push.options.js';
import { opened, SecretCipher, type SealOwner } from '../config/push-record.js';
import { RETIREMENT_MS, type StoredRing } from './secret-ring.js';

/** The clients' own signing secrets, encrypted; an operator creates and rotates them. */
@Injectable()
export class SecretStore {
  private readonly keys: PushKeys;

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(PushOptions) options: PushOptions,
    @Inject(SecretCipher) private readonly cipher: SecretCipher,
  ) {
    this.keys = new PushKeys(options.keyPrefix);
  }

  /** @throws UnreadableSecrets */
  async read(tenant: string, client: string): Promise<StoredRing | undefined> {
    const sealed = await this.redis.get(this.keys.secrets(tenant, client));
    if (sealed === null) return undefined;
    return JSON.parse(opened(sealed, sealOwner(tenant, client), this.cipher)) as StoredRing;
  }

  /** A ring that only ends the client's own secrets expires with them. */
  async write(tenant: string, client: string, ring: StoredRing): Promise<void> {
    const sealed = this.cipher.seal(JSON.stringify(ring), sealOwner(tenant, client));
    const key = this.keys.secrets(tenant, client);
    if (ring.isDerived === true) await this.redis.set(key, sealed, 'PX', RETIREMENT_MS);
    else await this.redis.set(key, sealed);
  }
}

/** No task has an empty id, so a client's secrets can never be taken for those of a webhook. */
export function sealOwner(tenant: string, client: string): SealOwner {
  return { tenant, taskId: '', configId: client };
}
