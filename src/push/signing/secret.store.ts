import { Inject, Injectable } from '@nestjs/common';
import { CommandRedis } from '../../platform/redis/connection/connections.js';
import { PushKeys } from '../push.keys.js';
import { PushOptions } from '../push.options.js';
import { SecretCipher, type SealOwner } from '../config/push-record.js';
import type { SecretRing } from './secret-ring.js';

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

  async read(tenant: string, client: string): Promise<SecretRing | undefined> {
    const sealed = await this.redis.get(this.keys.secrets(tenant, client));
    if (sealed === null) return undefined;
    return JSON.parse(this.cipher.open(sealed, sealOwner(tenant, client))) as SecretRing;
  }

  async write(tenant: string, client: string, ring: SecretRing): Promise<void> {
    const sealed = this.cipher.seal(JSON.stringify(ring), sealOwner(tenant, client));
    await this.redis.set(this.keys.secrets(tenant, client), sealed);
  }

  /** The client returns to its derived secret. */
  async remove(tenant: string, client: string): Promise<void> {
    await this.redis.del(this.keys.secrets(tenant, client));
  }
}

/** No task has an empty id, so a client's secrets can never be taken for those of a webhook. */
export function sealOwner(tenant: string, client: string): SealOwner {
  return { tenant, taskId: '', configId: client };
}
