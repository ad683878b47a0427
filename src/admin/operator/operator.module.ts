import { Module } from '@nestjs/common';
import { PushModule } from '../../webhooks/push.module.js';
import { LimitModule } from '../../limits/limit.module.js';
import { GuardsModule } from '../../http/guards/guards.module.js';
import { EventWebhooksController } from './event-webhooks.controller.js';
import { WebhookAttemptsController } from './webhook-attempts.controller.js';
import { WebhookOperatorController } from './webhook-operator.controller.js';

/**
 * Owns the HTTP API for operators and owners of webhooks, and for webhooks of published events, outside of the
 * protocol.
 */
@Module({
  imports: [GuardsModule, LimitModule, PushModule],
  controllers: [WebhookOperatorController, WebhookAttemptsController, EventWebhooksController],
})
export class OperatorModule {}
