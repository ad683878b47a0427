import { chooseServer } from '../../../src/platform/redis/embedded/program/choose-server.js';
import type { ServerCommand } from '../../../src/platform/redis/embedded/supervised-server.js';

/** Names another server program for a test run: `TEST_REDIS_PROGRAM=/opt/valkey/valkey-server npm run test:fast`. */
export const PROGRAM_VARIABLE = 'TEST_REDIS_PROGRAM';

/** The Redis server program that this test run was given, found or fetched: not every machine has one on its PATH. */
export async function redisProgram(): Promise<Pick<ServerCommand, 'command' | 'env'>> {
  const { [PROGRAM_VARIABLE]: named } = process.env;
  const { command } = await chooseServer({ kind: 'redis', ...(named === undefined ? {} : { serverBinary: named }) });
  return command;
}
