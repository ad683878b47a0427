import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { A2AError, invalidParams, taskNotFound } from '@parley/protocol/model/errors.js';
import type { TaskPushNotificationConfig } from '@parley/protocol/model/push-config.js';
import { configViolations } from './config-rules.js';
import { ConfigStore } from './config.store.js';
import { PushOptions } from '../push.options.js';
import { type PushRecord, recordOf, type RecordSource, SecretCipher, viewOf } from './push-record.js';
import { Receivers } from './receivers.js';

/** The caller that registers a webhook, and the task. */
export type PushCaller = Omit<RecordSource, 'id'>;

export interface Registration extends PushCaller {
  /** Path of the webhook in the request, for error details: '' or a path ending in a dot. */
  readonly at?: string;
  /** The owner of the task, whose bin is accepted as receiver. */
  readonly owner?: string;
}

/** Registers, shows and removes webhooks for callers. Answers never hold a secret (A2A-PCFG-10). */
@Injectable()
export class PushConfigs {
  constructor(
    private readonly store: ConfigStore,
    private readonly receivers: Receivers,
    @Inject(SecretCipher) private readonly cipher: SecretCipher,
    @Inject(PushOptions) private readonly options: PushOptions,
  ) {}

  get maxPerTask(): number {
    return this.options.maxPerTask;
  }

  /**
   * Checks a webhook and makes its stored form, for a task that is about to be created (A2A-SEND-16). Throws `A2AError`
   * InvalidParams; for a refused address it gives no reason (A2A-PCFG-11).
   */
  async prepare(config: TaskPushNotificationConfig, registration: Registration): Promise<PushRecord> {
    const { at = '', owner, ...caller } = registration;
    const violations = [...configViolations(config)];
    if (violations.length === 0 && !(await this.receivers.isWelcome(config.url, { tenant: caller.tenant, owner }))) {
      violations.push({ field: 'url', description: this.receivers.refusal });
    }
    if (violations.length > 0) throw invalidParams(violations.map((one) => ({ ...one, field: at + one.field })));
    const id = config.id === undefined || config.id === '' ? defaultId(caller) : config.id;
    return recordOf(config, { ...caller, id }, this.cipher);
  }

  /** Stores a webhook, or replaces the one of its id (A2A-PCFG-03). Throws `A2AError`. */
  async create(
    owner: string,
    config: TaskPushNotificationConfig,
    registration: Registration,
  ): Promise<TaskPushNotificationConfig> {
    if (!(await this.store.owns(owner, registration.taskId))) throw taskNotFound();
    const record = await this.prepare(config, { ...registration, owner });
    const outcome = await this.store.register(owner, record);
    if (outcome === 'not-found') throw taskNotFound();
    if (outcome === 'full') throw tooManyWebhooks();
    return viewOf(record, this.cipher);
  }

  /** Throws TaskNotFound for a missing webhook too: the spec has no error for it (A2A-PCFG-05). */
  async get(owner: string, taskId: string, id: string): Promise<TaskPushNotificationConfig> {
    const record = (await this.records(owner, taskId)).find((other) => other.id === id);
    if (record === undefined) throw new A2AError('TaskNotFound', 'The task has no webhook of this id');
    return viewOf(record, this.cipher);
  }

  /** All webhooks of a task, by id. */
  async list(owner: string, taskId: string): Promise<readonly TaskPushNotificationConfig[]> {
    return (await this.records(owner, taskId)).map((record) => viewOf(record, this.cipher));
  }

  /** Deleting a missing webhook succeeds; a missing task throws (A2A-PCFG-07). */
  async delete(owner: string, taskId: string, id: string): Promise<void> {
    if (!(await this.store.unregister(owner, taskId, id))) throw taskNotFound();
  }

  private async records(owner: string, taskId: string): Promise<readonly PushRecord[]> {
    const records = await this.store.list(owner, taskId);
    if (records === undefined) throw taskNotFound();
    return records;
  }
}

export function tooManyWebhooks(): A2AError {
  return new A2AError('InvalidParams', 'The task has as many webhooks as a task may have');
}

/** Older dialects know one webhook per task, named like the task (TRAP-67). */
function defaultId({ dialect, taskId }: PushCaller): string {
  return dialect === '1.0' ? randomUUID() : taskId;
}
