import { resolve } from 'node:path';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { loadConfig } from '../../main/app.environment.js';
import { CommandRedis } from '../../platform/redis/connection/connections.js';
import { runningServerUrl } from '../../platform/redis/embedded/running-server.js';
import { readSchema, tooOldFor } from '../../platform/redis/health/stored-schema.js';
import { isRedisOutage } from '../../platform/redis/connection/redis-outage.js';
import { OpsModule } from './ops.module.js';
import { OperatorError } from './operator-error.js';

/**
 * Runs `work` with the stores of the service, on the Redis of `REDIS_URL` or on the embedded one of a service that runs
 * on `DATA_DIR`, and closes them afterwards.
 * @throws OperatorError when there is neither; ConfigError when one cannot be used
 */
export async function withService<T>(work: (service: INestApplicationContext) => Promise<T>): Promise<T> {
  const environment = loadConfig();
  const redisUrl = environment.REDIS_URL ?? (await runningServerUrl(environment.DATA_DIR));
  if (redisUrl === undefined) {
    const folder = resolve(environment.DATA_DIR);
    throw new OperatorError(
      `No service runs on the data folder ${folder}: start it, set DATA_DIR, or set REDIS_URL to the Redis of the service.`,
    );
  }
  const service = await NestFactory.createApplicationContext(OpsModule.forRoot(environment, redisUrl), {
    logger: false,
    abortOnError: false,
  });
  try {
    const redis = service.get<CommandRedis>(CommandRedis, { strict: false });
    const tooOld = tooOldFor(await readSchema(redis, environment.KEY_PREFIX));
    if (tooOld !== undefined) throw new OperatorError(`${tooOld}.`);
    return await work(service);
  } catch (error) {
    throw isRedisOutage(error) ? new OperatorError(unanswered(error), { cause: error }) : error;
  } finally {
    await service.close();
  }
}

function unanswered(error: unknown): string {
  return `Redis did not answer (${error instanceof Error ? error.message : String(error)}): repeat the command.`;
}

/** Like `withService`, with a Redis connection only. */
export function withRedis<T>(work: (redis: CommandRedis, keyPrefix: string) => Promise<T>): Promise<T> {
  return withService((service) =>
    work(service.get<CommandRedis>(CommandRedis, { strict: false }), loadConfig().KEY_PREFIX),
  );
}
