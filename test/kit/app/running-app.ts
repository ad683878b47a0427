import { randomUUID } from 'node:crypto';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { AppOverrides } from '../../../src/main/app.module.js';
import { loadSkills } from '../../../src/main/app.skills.js';
import { createApp } from '../../../src/main/bootstrap.js';
import { loadConfig } from '../../../src/main/app.environment.js';
import type { PinoLogger } from '../../../src/platform/logging/pino.logger.js';
import { GrpcAddress } from '../../../src/platform/address/grpc-address.js';
import { testRedisUrl } from '../redis/shared-redis.js';

/** The whole application inside the test's process, on a free port, with key names of its own. */
export interface RunningApp {
  readonly app: NestFastifyApplication;
  readonly url: string;
  readonly keyPrefix: string;
  /** `host:port` of the gRPC server; undefined where it is off (`GRPC_PORT`). */
  readonly grpc: string | undefined;
  close(): Promise<void>;
}

/**
 * @param variables as in `.env.example`
 * @param log where its lines go; default: nowhere
 * @param prepare what an embedding program does with it before it listens
 */
export async function runApp(
  variables: Readonly<Record<string, string>> = {},
  overrides: AppOverrides = {},
  log?: PinoLogger,
  prepare?: (app: NestFastifyApplication) => void,
): Promise<RunningApp> {
  const keyPrefix = `test-${randomUUID()}`;
  const environment = loadConfig({
    PORT: '0',
    LOG_LEVEL: 'silent',
    DRAIN_MS: '0',
    AUDIT_LOG: devNull,
    DATA_DIR: join(tmpdir(), 'parley-test-data'),
    KEY_PREFIX: keyPrefix,
    ...variables,
  });
  const app = await createApp({
    environment,
    redisUrl: environment.REDIS_URL ?? testRedisUrl(),
    version: '0.0.0-test',
    ...(overrides.skills === undefined ? { skills: await loadSkills(environment, variables) } : {}),
    overrides,
    ...(log === undefined ? {} : { log }),
  });
  prepare?.(app);
  await app.listen(environment.PORT, '127.0.0.1');
  const port = environment.GRPC_PORT === undefined ? undefined : app.get(GrpcAddress).port;
  return {
    app,
    url: await app.getUrl(),
    keyPrefix: environment.KEY_PREFIX,
    grpc: port === undefined ? undefined : `127.0.0.1:${port}`,
    close: () => app.close(),
  };
}
