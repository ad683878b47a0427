import { Injectable } from '@nestjs/common';
import { bytesAsJson } from '@parley/protocol/model/json.js';
import type { Message } from '@parley/protocol/model/message.js';
import type { TaskPushNotificationConfig } from '@parley/protocol/model/push-config.js';
import type { Principal } from '../../auth/principal.js';
import { quotaExceeded } from '../../limits/quotas/quota.js';
import { QuotaStore, STORAGE_RETRY_AFTER_S } from '../../limits/quotas/quota.store.js';
import { StoredBytes } from '../../tasks/lists/stored-bytes.js';

/** A webhook is stored encrypted, in base64, with its id in the names of its fields. */
const WEBHOOK_FACTOR = 2;

/**
 * Checks that there is room to store a message or a webhook: quotas of bytes, and the memory of Redis. Checks only new
 * ones: begun tasks continue and end in any case.
 */
@Injectable()
export class StorageRoom {
  constructor(
    private readonly stored: StoredBytes,
    private readonly quotas: QuotaStore,
  ) {}

  /** @throws RateLimitedError when the message and its webhook do not fit. Otherwise their bytes count at once. */
  async require(principal: Principal, message: Message, webhook?: { readonly record: string }): Promise<void> {
    await this.take(principal, () => bytesAsJson(message) + (webhook === undefined ? 0 : webhook.record.length));
  }

  /** The same for a webhook of an existing task. */
  async requireForWebhook(principal: Principal, config: TaskPushNotificationConfig): Promise<void> {
    await this.take(principal, () => WEBHOOK_FACTOR * bytesAsJson(config));
  }

  private async take(principal: Principal, sizeOf: () => number): Promise<void> {
    this.quotas.requireStorage();
    if (!hasQuotas(principal)) return;
    const bytes = sizeOf();
    await this.requireQuota(principal, bytes);
    this.stored.add(principal, bytes);
  }

  /** The same for an unread message, by its size, without counting it. */
  async requireFor(principal: Principal, bytes: number): Promise<void> {
    this.quotas.requireStorage();
    if (hasQuotas(principal)) await this.requireQuota(principal, bytes);
  }

  private async requireQuota(principal: Principal, bytes: number): Promise<void> {
    const { client, tenant } = this.quotas.mostBytes;
    const sums = await this.stored.of(principal);
    const refusal = { retryAfterSeconds: STORAGE_RETRY_AFTER_S };
    if (sums.client + bytes > client) throw quotaExceeded({ subject: 'stored bytes', limit: client, ...refusal });
    if (sums.tenant + bytes > tenant)
      throw quotaExceeded({ subject: 'stored bytes of the tenant', limit: tenant, ...refusal });
  }
}

/** Without authentication only this machine can call: quotas would be useless. */
function hasQuotas({ method }: Principal): boolean {
  return method !== 'local';
}
