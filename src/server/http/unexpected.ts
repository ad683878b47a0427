import { randomUUID } from 'node:crypto';
import type { Logger } from '@nestjs/common';
import { A2AError } from '@parley/protocol/model/errors.js';
import { isRedisOutage } from '../../platform/redis/connection/redis-outage.js';

/** Seconds after which a caller may try again: Redis is usually back by then. */
const RETRY_AFTER_S = 2;

/** The client's error for any error. Unexpected ones become an opaque reference id; the stack is in the log only. */
export function toClientError(error: unknown, log: Logger): A2AError {
  if (error instanceof A2AError) return error;
  if (isRedisOutage(error)) {
    log.warn({ event: 'redis.unavailable', reason: error instanceof Error ? error.message : String(error) });
    return new A2AError('Unavailable', 'The service cannot reach its storage: please try again', {
      retryAfterSeconds: RETRY_AFTER_S,
      cause: error,
    });
  }
  const reference = randomUUID();
  log.error({ event: 'unexpected', reference, error });
  return new A2AError('InternalError', `Internal error. Reference: ${reference}`, {
    metadata: { reference },
    cause: error,
  });
}
