import { Injectable, Logger } from '@nestjs/common';
import { anyOf } from '@parley/sdk/skill/contract/glob.js';
import { EventWebhooks } from '../../tasks/publications/event-webhooks.store.js';
import type { PublishedEvent } from '../../tasks/publications/published-event.js';

/** Adds published events to the logs of subscribed webhooks; dispatchers deliver them from there. */
@Injectable()
export class EventOutlet {
  private readonly log = new Logger(EventOutlet.name);

  constructor(private readonly webhooks: EventWebhooks) {}

  /** Ignores events of simulated tasks: they never leave the service. */
  async announce({ event, tenant, owner, isSimulated }: PublishedEvent): Promise<void> {
    if (isSimulated === true) return;
    for (const webhook of await this.webhooks.list(tenant)) {
      const isItsOwner = webhook.owner === undefined || webhook.owner === owner;
      if (!isItsOwner || !anyOf(webhook.types)(event.type)) continue;
      const outcome = await this.webhooks.announce(webhook.id, event);
      const line = { id: event.id, type: event.type, webhook: webhook.id, origin: webhook.origin, outcome };
      if (outcome === 'full') this.log.warn({ event: 'event.not-announced', ...line });
      else this.log.log({ event: 'event.announced', ...line });
    }
  }
}
