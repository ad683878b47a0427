import type { RedisClient } from '../redis/connection/redis-client.js';
import type { EndpointKeys } from './endpoint-breaker.js';

/** The state of an endpoint for operators. */
export interface EndpointState {
  readonly failuresInARow: number;
  /** End of the pause, ms since 1970. */
  readonly openUntil?: number;
  readonly failingSince?: number;
  readonly disabled?: string;
  readonly underWay: number;
}

/** Reads the state of an endpoint stored by `EndpointBreaker`. */
export async function endpointState(redis: RedisClient, { endpoint, attempts }: EndpointKeys): Promise<EndpointState> {
  const fields = await redis.hgetall(endpoint);
  return {
    failuresInARow: Number(fields.fails ?? 0),
    underWay: await redis.zcard(attempts),
    ...(fields.open === undefined ? {} : { openUntil: Number(fields.open) }),
    ...(fields.failing === undefined ? {} : { failingSince: Number(fields.failing) }),
    ...(fields.disabled === undefined ? {} : { disabled: fields.disabled }),
  };
}
