import { IsOptional, IsString, Matches, registerDecorator } from 'class-validator';
import { parseRedisAddress } from '../config/checks/redis-address.js';
import { Setting } from '../config/settings/setting.js';
import { WholeNumber } from '../config/checks/numbers.js';

/** The store: address of Redis, and durability of writes. */
export class RedisSettings {
  @Setting(
    'Your Redis: redis://user:password@host:port/db, redis-sentinel://host:port,host:port/group or redis-cluster://host:port,host:port; over TLS with rediss instead of redis (docs/operations.md). If empty, an embedded Redis server is started on a free loopback port.',
  )
  @IsOptional()
  @IsRedisAddress()
  readonly REDIS_URL?: string;

  @Setting('Prefix of every key: services that share a Redis need different prefixes.')
  @Matches(/^[\w-]{1,64}$/, { message: 'must be 1 to 64 letters, digits, _ or -' })
  readonly KEY_PREFIX: string = 'parley';

  @Setting('Replicas that must have a write before the call that made it succeeds; 0 waits for none.')
  @WholeNumber(0, 10)
  readonly REDIS_WAIT_REPLICAS: number = 0;

  @Setting('Milliseconds of that wait; after it the caller gets 503 and may retry.', { was: 'REDIS_WAIT_MS' })
  @WholeNumber(10, 1000)
  readonly waitMs: number = 500;

  @Setting(
    'Seconds to wait at start while Redis loads its stored data. /health/startup and the log show the progress; the startup probe of the chart has the same time.',
    { was: 'REDIS_LOADING_SECONDS' },
  )
  @WholeNumber(1, 86_400)
  readonly loadingSeconds: number = 600;

  @Setting(
    'Refusals of the check of Redis that you accept, by the words that it names, with spaces between: `policy` (maxmemory-policy cannot be read), `keydb`, `publish`, `blocking`. They are warnings then.',
  )
  @Matches(/^(?:(?:policy|keydb|publish|blocking) ?)*$/, { message: 'must be of policy, keydb, publish, blocking' })
  readonly accept: string = '';

  @Setting('Path of the redis-server program for the embedded Redis, if it is not on the PATH.', {
    was: 'REDIS_SERVER_BIN',
  })
  @IsOptional()
  @IsString()
  readonly serverProgram?: string;
}

/** A variable with the address of Redis, in one of the forms of `parseRedisAddress`. */
function IsRedisAddress(): PropertyDecorator {
  return (target, property) => {
    registerDecorator({
      name: 'redisAddress',
      target: target.constructor,
      propertyName: String(property),
      validator: {
        validate: (value: unknown) => faultOf(value) === undefined,
        defaultMessage: (given) => faultOf(given?.value) ?? '',
      },
    });
  };
}

/** The fault of an address; undefined for a valid one. */
function faultOf(value: unknown): string | undefined {
  try {
    parseRedisAddress(String(value));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
