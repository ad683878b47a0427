import type { FastifyRequest } from 'fastify';
import type { AnyPermittedCall } from '../../operation/operation-executor.js';
import type { OperationName } from '@parley/protocol/model/operations.js';
import type { WireCall, WireCodec } from '@parley/protocol/codec/codec.js';
import { NULL_ID, type RpcId } from '@parley/protocol/binding/rpc-envelope.js';
import { codecV1 } from '@parley/protocol/v1_0/codec.js';
import type { FaultWriter } from '../binding/fault-writer.js';
import type { CallName, RunningCall } from '../binding/call-runner.js';

/** A JSON-RPC call between its guard and its answer: what is known of it, also when it fails in the midst. */
export interface RpcExchange {
  readonly running: RunningCall;
  /** In this dialect and with this id a fault is answered. */
  codec: WireCodec;
  id: RpcId;
  wire?: WireCall;
  operation?: OperationName;
  permitted?: AnyPermittedCall;
}

declare module 'fastify' {
  interface FastifyRequest {
    rpcExchange: RpcExchange | undefined;
  }
}

/** Begins the exchange of a request of which nothing has been read. */
export function beginExchange(request: FastifyRequest, running: RunningCall, faults: FaultWriter): RpcExchange {
  const exchange: RpcExchange = { running, codec: codecV1, id: NULL_ID };
  request.rpcExchange = exchange;
  request.faults = faults;
  return exchange;
}

/** An exchange whose call has passed the guard. */
export type ReadExchange = RpcExchange & Required<Pick<RpcExchange, 'permitted' | 'wire'>>;

/** The exchange of a request that has passed the guard. */
export function readExchange(request: FastifyRequest): ReadExchange {
  const exchange = request.rpcExchange;
  if (exchange === undefined || !isRead(exchange)) throw new Error('The route has no guard that reads its calls');
  return exchange;
}

function isRead(exchange: RpcExchange): exchange is ReadExchange {
  return exchange.permitted !== undefined && exchange.wire !== undefined;
}

/** Forgets the exchange of a request: its params need not stay as long as a stream. Undefined before its guard. */
export function takeExchange(request: FastifyRequest): RpcExchange | undefined {
  const exchange = request.rpcExchange;
  request.rpcExchange = undefined;
  return exchange;
}

/** As what the call is counted; names its method for the log. */
export function nameOf({ running, codec, operation, wire }: RpcExchange): CallName {
  if (wire !== undefined) running.facts.method = wire.method;
  return { binding: 'jsonrpc', operation, dialect: codec.version };
}
