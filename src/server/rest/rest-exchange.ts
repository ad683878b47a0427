import type { FastifyRequest } from 'fastify';
import type { AnyPermittedCall } from '../../operation/operation-executor.js';
import type { OperationName } from '@parley/protocol/model/operations.js';
import type { FaultWriter } from '../binding/fault-writer.js';
import type { CallName, RunningCall } from '../binding/call-runner.js';
import type { RestDialect } from './rest-dialects.js';

/** An HTTP+JSON call between its guard and its answer. */
export interface RestExchange {
  readonly running: RunningCall;
  readonly dialect: RestDialect;
  readonly operation: OperationName;
  permitted?: AnyPermittedCall;
}

/** An exchange whose call has passed the guard. */
export type PermittedExchange = RestExchange & Required<Pick<RestExchange, 'permitted'>>;

declare module 'fastify' {
  interface FastifyRequest {
    restExchange: RestExchange | undefined;
  }
}

/** Begins the exchange of a request for something that is served. */
export function beginExchange(request: FastifyRequest, exchange: RestExchange, faults: FaultWriter): RestExchange {
  request.restExchange = exchange;
  request.faults = faults;
  return exchange;
}

/** The exchange of a request that has passed the guard. */
export function permittedExchange(request: FastifyRequest): PermittedExchange {
  const exchange = request.restExchange;
  if (exchange === undefined || !isPermitted(exchange)) throw new Error('The route has no guard that reads its calls');
  return exchange;
}

function isPermitted(exchange: RestExchange): exchange is PermittedExchange {
  return exchange.permitted !== undefined;
}

/** Forgets the exchange of a request: its params need not stay as long as a stream. Undefined where nothing is served. */
export function takeExchange(request: FastifyRequest): RestExchange | undefined {
  const exchange = request.restExchange;
  request.restExchange = undefined;
  return exchange;
}

/** As what the call is counted. */
export function nameOf({ operation, dialect }: RestExchange): CallName {
  return { binding: 'rest', operation, dialect: dialect.version };
}
