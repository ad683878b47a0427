import { type DynamicModule, Module } from '@nestjs/common';
import { CommandRedis } from '../../platform/redis/connection/connections.js';
import { RedisModule } from '../../platform/redis/redis.module.js';
import { LineKeys } from './line.keys.js';
import { ModelLines } from './model-lines.js';

/** Owns the lines of the accounts at providers. A check of skills has none: it opens no connection. */
@Module({})
export class ModelLineModule {
  static forRoot(keyPrefix: string): DynamicModule {
    return {
      module: ModelLineModule,
      imports: [RedisModule],
      providers: [
        {
          provide: ModelLines,
          inject: [CommandRedis],
          useFactory: (redis: CommandRedis) => new ModelLines(redis, new LineKeys(keyPrefix)),
        },
      ],
    };
  }
}
