import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { loadConfig } from '../config/load-config.js';
import { CommandRedis } from '../redis/connections.js';
import { assertReadable, storedLayout } from '../task/data-layout.js';
import { CliModule } from './cli.module.js';
import { OperatorError } from './operator-error.js';

/** In place of the environment of this process. */
export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Lets `work` have the stores of the service on the Redis of `REDIS_URL`, and closes them after it.
 * @throws OperatorError when there is no such variable; ConfigError when one cannot be used; NewerDataError when a newer
 * release has written there
 */
export async function withService<T>(
  work: (service: INestApplicationContext) => Promise<T>,
  variables?: Variables,
): Promise<T> {
  const environment = loadConfig(variables);
  const { REDIS_URL: redisUrl, KEY_PREFIX: keyPrefix } = environment;
  if (redisUrl === undefined) {
    throw new OperatorError('Set REDIS_URL: commands speak to the Redis that the processes of the service share.');
  }
  const service = await NestFactory.createApplicationContext(CliModule.forRoot(environment, redisUrl), {
    logger: false,
    abortOnError: false,
  });
  try {
    assertReadable(await storedLayout(service.get(CommandRedis), keyPrefix), keyPrefix);
    return await work(service);
  } finally {
    await service.close();
  }
}
