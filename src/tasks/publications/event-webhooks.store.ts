import { hash, randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { CloudEvent } from '@parley/protocol/extension/cloud-event.js';
import { CommandRedis } from '../../platform/redis/connection/connections.js';
import { newEventLogId, shardName, shardOf, TaskKeys } from '../task.keys.js';
import { TaskOptions } from '../task.options.js';
import { TASK_SCRIPTS } from '../task.scripts.js';
import { FIELD } from '../task-fields.js';

/** A webhook for published events, with its selection of its tenant's events. */
export interface EventWebhook {
  /** The id of its event log, which is stored like a task's. */
  readonly id: string;
  /** Types of events; `*` matches any characters. */
  readonly types: readonly string[];
  /** Only events published by tasks of this owner; absent: those of the whole tenant. */
  readonly owner?: string;
  /** Scheme, host and port of the receiver. */
  readonly origin: string;
}

/** The outcome of adding an event: `known` if the log has it already, `full` if its receiver lags too far. */
export type AnnounceOutcome = 'gone' | 'known' | 'full' | 'ok';

/** Name in the push hash of the single webhook of an event log. */
export const EVENT_WEBHOOK = 'events';

/** Webhooks for published events per tenant. */
export const MAX_EVENT_WEBHOOKS = 10;
/** Maximum undelivered events of a webhook, and their bytes. */
const MAX_EVENTS = 1_000;
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Webhooks of operators and callers for published events. Each has an event log in the form of a task's, from which the
 * dispatchers of webhooks deliver: with the same order, retries, signatures and dead letters.
 */
@Injectable()
export class EventWebhooks {
  private readonly keys: TaskKeys;

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(TaskOptions) { keyPrefix }: TaskOptions,
  ) {
    this.keys = new TaskKeys(keyPrefix);
  }

  /** A new id: all webhooks of a tenant are in one shard. */
  newId(tenant: string): string {
    return newEventLogId(tenant, randomUUID());
  }

  /** @param record the webhook in the form of dispatchers. False when the tenant has its maximum. */
  async add(tenant: string, webhook: EventWebhook, record: string): Promise<boolean> {
    const { id } = webhook;
    const keys = { webhooks: this.keys.eventWebhooks(tenant), log: this.keys.task(id), push: this.keys.push(id) };
    const hook = { hook: EVENT_WEBHOOK, record, maxHooks: MAX_EVENT_WEBHOOKS };
    const args = { id, wanted: JSON.stringify(webhook), ...hook };
    return (await TASK_SCRIPTS.subscribe.run(this.redis, keys, args)) === 'OK';
  }

  /** By id. */
  async list(tenant: string): Promise<readonly EventWebhook[]> {
    const texts = await this.redis.hvals(this.keys.eventWebhooks(tenant));
    return texts.map((text) => JSON.parse(text) as EventWebhook).sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Removing a missing one changes nothing. */
  async remove(tenant: string, { id }: EventWebhook): Promise<void> {
    const shard = shardOf(id);
    const keys = {
      ...{ webhooks: this.keys.eventWebhooks(tenant), log: this.keys.task(id), push: this.keys.push(id) },
      ...{ attempts: this.keys.attempts(id), outbox: this.keys.outbox(shard), ...this.keys.dead(shard) },
    };
    await TASK_SCRIPTS.unsubscribe.run(this.redis, keys, { id, hook: EVENT_WEBHOOK });
  }

  /** Number of undelivered events of a webhook, and whether it was stopped. */
  async state(id: string): Promise<{ readonly outstanding: number; readonly isStopped: boolean }> {
    const [word, [next, dead]] = await Promise.all([
      this.redis.hget(this.keys.task(id), FIELD.word),
      this.redis.hmget(this.keys.push(id), `next:${EVENT_WEBHOOK}`, `dead:${EVENT_WEBHOOK}`),
    ]);
    const latest = Number(word?.split(' ')[1] ?? 0);
    return { outstanding: latest + 1 - Number(next ?? latest + 1), isStopped: typeof dead === 'string' };
  }

  /** Adds an event to the log of a webhook; a repeat changes nothing. */
  async announce(id: string, event: CloudEvent): Promise<AnnounceOutcome> {
    const shard = shardOf(id);
    const keys = { log: this.keys.task(id), push: this.keys.push(id), outbox: this.keys.outbox(shard) };
    const nonce = hash('sha256', event.id, 'hex').slice(0, 12);
    const reply = await TASK_SCRIPTS.announce.run(this.redis, keys, {
      ...{ id, hook: EVENT_WEBHOOK, nonce, event: JSON.stringify(event), maxEvents: MAX_EVENTS, maxBytes: MAX_BYTES },
      ...{ hints: this.keys.hints, shard: shardName(shard) },
    });
    return outcomeOf(reply as 'GONE' | 'KNOWN' | 'FULL' | 'OK');
  }
}

function outcomeOf(reply: 'GONE' | 'KNOWN' | 'FULL' | 'OK'): AnnounceOutcome {
  return reply === 'GONE' ? 'gone' : reply === 'KNOWN' ? 'known' : reply === 'FULL' ? 'full' : 'ok';
}
