import type { FastifyRequest } from 'fastify';
import type { Call } from '../../operation/call.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { McpRequestId } from '@parley/protocol/mcp/mcp-message.js';
import type { McpRevision } from '@parley/protocol/mcp/revision.js';
import type { FaultWriter } from '../binding/fault-writer.js';
import type { RunningCall } from '../binding/call-runner.js';
import type { McpRequest } from './call/mcp-request.js';
import type { Session } from './session/sessions.js';

/** What a message asks for, once it has been read. */
export type ReadMessage =
  | { readonly kind: 'request'; readonly request: McpRequest }
  | { readonly kind: 'initialize'; readonly id: McpRequestId; readonly params: JsonObject; readonly call: Call }
  | {
      readonly kind: 'notification';
      readonly method: string;
      readonly session?: Session;
      /** The request that it cancels. */
      readonly requestId?: McpRequestId;
      readonly call: Call;
    }
  | {
      readonly kind: 'response';
      readonly id: McpRequestId;
      readonly result: JsonObject | undefined;
      readonly request: McpRequest;
    };

/** A message between its guard and its answer: what is known of it, also when it fails in the midst. */
export interface McpExchange {
  readonly running: RunningCall;
  revision: McpRevision;
  id: McpRequestId | undefined;
  method: string | undefined;
  message?: ReadMessage;
}

declare module 'fastify' {
  interface FastifyRequest {
    mcpExchange: McpExchange | undefined;
  }
}

/** Begins the exchange of a request of which nothing has been read. */
export function beginExchange(request: FastifyRequest, exchange: McpExchange, faults: FaultWriter): McpExchange {
  request.mcpExchange = exchange;
  request.faults = faults;
  return exchange;
}

/** An exchange whose message has been read. */
export type ReadExchange = McpExchange & Required<Pick<McpExchange, 'message'>>;

/** The exchange of a request that has passed the guard. */
export function mcpExchangeOf(request: FastifyRequest): ReadExchange {
  const exchange = request.mcpExchange;
  if (exchange === undefined || !isRead(exchange)) throw new Error('The route has no guard that reads its messages');
  return exchange;
}

function isRead(exchange: McpExchange): exchange is ReadExchange {
  return exchange.message !== undefined;
}
