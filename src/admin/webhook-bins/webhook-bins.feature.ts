import { defineFeature } from '../../http/binding/feature.js';
import { WebhookBinApiModule, WebhookBinsModule } from './webhook-bins.module.js';

/** Receivers of webhooks inside the service: taken and filled wherever there are webhooks, read in the console. */
export const webhookBinsFeature = defineFeature({
  name: 'webhook-bins',
  module: (_start, { webhooks }) => (webhooks ? { module: WebhookBinsModule } : undefined),
  consoleApi: (_start, base, { webhooks }) => (webhooks ? WebhookBinApiModule.forRoot(base) : undefined),
});
