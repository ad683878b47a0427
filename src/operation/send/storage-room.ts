import { Injectable } from '@nestjs/common';
import { bytesAsJson } from '../../protocol/json.js';
import type { Message } from '../../protocol/message.js';
import type { Principal } from '../../security/auth/principal.js';
import { quotaExceeded, storageShort } from '../../security/limit/quota.js';
import { QuotaStore } from '../../security/limit/quota.store.js';
import { StoredBytes } from '../../task/stored-bytes.js';

/** Room appears when the retention of tasks ends, so an immediate retry is useless. */
const RETRY_AFTER_S = 60;

/**
 * Checks that there is room to store a message: quotas of bytes, and the memory of Redis. Only new messages are checked:
 * begun tasks continue and end in any case.
 */
@Injectable()
export class StorageRoom {
  constructor(
    private readonly stored: StoredBytes,
    private readonly quotas: QuotaStore,
  ) {}

  /** Throws RateLimitedError where the message would not fit. What fits counts at once. */
  async require(principal: Principal, message: Message): Promise<void> {
    this.requireMemory();
    if (!hasQuotas(principal)) return;
    const bytes = bytesAsJson(message);
    await this.requireQuota(principal, bytes);
    this.stored.add(principal, bytes);
  }

  /** The same for a message that is not read yet, by its size; it does not count. */
  async requireFor(principal: Principal, bytes: number): Promise<void> {
    this.requireMemory();
    if (hasQuotas(principal)) await this.requireQuota(principal, bytes);
  }

  private requireMemory(): void {
    if (this.quotas.isStorageShort) throw storageShort(RETRY_AFTER_S);
  }

  private async requireQuota(principal: Principal, bytes: number): Promise<void> {
    const { client, tenant } = this.quotas.mostBytes;
    const sums = await this.stored.of(principal);
    const refusal = { retryAfterSeconds: RETRY_AFTER_S };
    if (sums.client + bytes > client) throw quotaExceeded({ subject: 'stored bytes', limit: client, ...refusal });
    if (sums.tenant + bytes > tenant)
      throw quotaExceeded({ subject: 'stored bytes of the tenant', limit: tenant, ...refusal });
  }
}

/** Without authentication only this machine can call, so quotas would have no use. */
function hasQuotas({ method }: Principal): boolean {
  return method !== 'local';
}
