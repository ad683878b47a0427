import type { FastifyRequest } from 'fastify';
import type { Intent } from '../../intent/intents.js';
import type { PermittedCall } from '../../operation/operation-executor.js';
import type { FaultWriter } from '../binding/fault-writer.js';
import type { CallName, RunningCall } from '../binding/call-runner.js';

/** A call of `POST /run` between its guard and its answer. */
export interface RunExchange {
  readonly running: RunningCall;
  /** The parsed body, for the texts of its faults. */
  body?: unknown;
  intent?: Intent;
  permitted?: PermittedCall<'SendMessage'>;
}

/** An exchange whose call has passed the guard. */
export type PermittedRun = RunExchange & Required<Pick<RunExchange, 'intent' | 'permitted'>>;

declare module 'fastify' {
  interface FastifyRequest {
    runExchange: RunExchange | undefined;
  }
}

export function beginExchange(request: FastifyRequest, running: RunningCall, faults: FaultWriter): RunExchange {
  const exchange: RunExchange = { running };
  request.runExchange = exchange;
  request.faults = faults;
  return exchange;
}

/** The exchange of a request that has passed the guard. */
export function permittedExchange(request: FastifyRequest): PermittedRun {
  const exchange = request.runExchange;
  if (exchange === undefined || !isPermitted(exchange)) throw new Error('The route has no guard that reads its calls');
  return exchange;
}

function isPermitted(exchange: RunExchange): exchange is PermittedRun {
  return exchange.permitted !== undefined && exchange.intent !== undefined;
}

/** As what a call is counted. */
export const CALL_NAME: CallName = { binding: 'rest', operation: 'SendMessage', dialect: '1.0' };
