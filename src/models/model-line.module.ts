import { type DynamicModule, Module } from '@nestjs/common';
import { CommandRedis } from '../platform/redis/connection/connections.js';
import { RedisModule } from '../platform/redis/redis.module.js';
import { MetricsModule } from '../platform/metrics/metrics.module.js';
import { LineGauges } from './line.gauges.js';
import { LineKeys } from './line/line.keys.js';
import { ModelLines } from './line/model-lines.js';

/** Owns the lines of the accounts at providers. A check of skills has none: it opens no connection. */
@Module({})
export class ModelLineModule {
  static forRoot(keyPrefix: string): DynamicModule {
    return {
      module: ModelLineModule,
      imports: [RedisModule, MetricsModule],
      providers: [
        LineGauges,
        {
          provide: ModelLines,
          inject: [CommandRedis],
          useFactory: (redis: CommandRedis) => new ModelLines(redis, new LineKeys(keyPrefix)),
        },
      ],
    };
  }
}
