import { Injectable } from '@nestjs/common';
import { A2AError } from '@parley/protocol/model/errors.js';
import type { TaskPushNotificationConfig } from '@parley/protocol/model/push-config.js';
import { EVENT_WEBHOOK, type EventWebhook, EventWebhooks } from '../../tasks/publications/event-webhooks.store.js';
import { PushConfigs } from './push-configs.js';
import type { PushRecord } from './push-record.js';

/** The caller that subscribes a webhook to events. */
export interface Subscriber {
  readonly tenant: string;
  readonly client: string;
  /** Absent: events of the whole tenant, for its operators. */
  readonly owner?: string;
}

/** A webhook and the event types that it subscribes to. */
export interface WantedEvents extends Pick<TaskPushNotificationConfig, 'url' | 'token' | 'authentication'> {
  readonly types: readonly string[];
}

/** A webhook for published events as its subscriber sees it. */
export interface Subscription {
  readonly id: string;
  /** Scheme, host and port of the receiver. */
  readonly origin: string;
  readonly types: readonly string[];
  readonly of: 'caller' | 'tenant';
  /** Events that are not delivered yet. */
  readonly outstanding: number;
  /** Whether it was stopped for refusing every event; `redrive` restarts it. */
  readonly isStopped: boolean;
}

/** Subscribes webhooks to events that tasks publish. Address, secrets and signatures are those of every webhook. */
@Injectable()
export class EventSubscriptions {
  constructor(
    private readonly webhooks: EventWebhooks,
    private readonly configs: PushConfigs,
  ) {}

  /** @throws A2AError InvalidParams for a refused address, and when the tenant has its maximum of subscriptions */
  async create({ types, ...config }: WantedEvents, { tenant, client, owner }: Subscriber): Promise<Subscription> {
    const id = this.webhooks.newId(tenant);
    const about = { taskId: id, tenant, client, dialect: '1.0' } as const;
    const record: PushRecord = {
      ...(await this.configs.prepare({ ...config, id: EVENT_WEBHOOK }, about)),
      isOfEvents: true,
    };
    const webhook = { id, types, origin: record.url, ...(owner === undefined ? {} : { owner }) };
    if (!(await this.webhooks.add(tenant, webhook, JSON.stringify(record))))
      throw new A2AError('InvalidParams', 'The tenant has as many webhooks for events as a tenant may have');
    return this.shown(webhook);
  }

  /** The subscriptions of the subscriber; for an operator all of the tenant. */
  async list(subscriber: Subscriber): Promise<readonly Subscription[]> {
    return Promise.all((await this.of(subscriber)).map((webhook) => this.shown(webhook)));
  }

  /** Removes a subscription that `list` returns; any other id changes nothing. */
  async remove(subscriber: Subscriber, id: string): Promise<void> {
    const webhook = (await this.of(subscriber)).find((each) => each.id === id);
    if (webhook !== undefined) await this.webhooks.remove(subscriber.tenant, webhook);
  }

  private async of({ tenant, owner }: Subscriber): Promise<readonly EventWebhook[]> {
    const all = await this.webhooks.list(tenant);
    return owner === undefined ? all : all.filter((webhook) => webhook.owner === owner);
  }

  private async shown({ id, types, origin, owner }: EventWebhook): Promise<Subscription> {
    const of = owner === undefined ? 'tenant' : 'caller';
    return { id, origin, types, of, ...(await this.webhooks.state(id)) };
  }
}
