import { type DynamicModule, Module } from '@nestjs/common';
import { RedisModule } from '../../platform/redis/redis.module.js';
import { PushModule } from '../../webhooks/push.module.js';
import { WebhookBinController } from './webhook-bin.controller.js';
import { WebhookBins } from './webhook-bins.js';

/** Owns the bins: a receiver of webhooks in every process that registers or delivers them. */
@Module({ imports: [RedisModule, PushModule], providers: [WebhookBins], exports: [WebhookBins] })
export class WebhookBinsModule {}

/** Owns the routes of bins. */
@Module({})
export class WebhookBinApiModule {
  /** @param base dependencies of every route of the console's API */
  static forRoot(base: DynamicModule): DynamicModule {
    return { module: WebhookBinApiModule, imports: [base, WebhookBinsModule], controllers: [WebhookBinController] };
  }
}
