import type { Call } from '../../operations/call.js';
import type { A2AError } from '@parley/protocol/model/errors.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { OperationName } from '@parley/protocol/model/operations.js';
import type { McpRequestId } from '@parley/protocol/mcp/mcp-message.js';
import { type McpRevision, MODERN_REVISION } from '@parley/protocol/mcp/revision.js';
import type { CallName } from '../../http/binding/call-recorder.js';
import { Exchange } from '../../http/binding/exchange.js';
import type { TextAnswer } from '../../http/errors.js';
import type { McpReply } from './call/mcp-reply.js';
import type { McpRequest } from './call/mcp-request.js';
import { mcpFault } from './mcp-faults.js';
import type { Session } from './session/sessions.js';

/** The parsed content of a message. */
export type ReadMessage =
  | { readonly kind: 'request'; readonly request: McpRequest }
  | { readonly kind: 'initialize'; readonly id: McpRequestId; readonly params: JsonObject; readonly call: Call }
  | {
      readonly kind: 'notification';
      readonly method: string;
      readonly session?: Session;
      /** The canceled request. */
      readonly requestId?: McpRequestId;
      readonly call: Call;
    }
  | {
      readonly kind: 'response';
      readonly id: McpRequestId;
      readonly result: JsonObject | undefined;
      readonly request: McpRequest;
    };

/** The operation by which each method is counted; methods without one are counted by their own names. */
const OPERATIONS: Readonly<Record<string, OperationName>> = {
  'tools/call': 'SendMessage',
  'tasks/get': 'GetTask',
  'tasks/update': 'SendMessage',
  'tasks/cancel': 'CancelTask',
  'resources/list': 'ListTasks',
  'resources/read': 'GetTask',
  'subscriptions/listen': 'SubscribeToTask',
};

/** A message of MCP, answered with its id and in its stream, if it has these. */
export class McpExchange extends Exchange {
  revision: McpRevision = MODERN_REVISION;
  id: McpRequestId | undefined = undefined;
  /** Undefined before the message has been read. */
  message: ReadMessage | undefined = undefined;
  private operation: OperationName | undefined = undefined;

  /** The method for the log, if it is a known one. */
  set method(method: string) {
    this.operation = Object.hasOwn(OPERATIONS, method) ? OPERATIONS[method] : undefined;
    if (/^[\w/]{1,64}$/.test(method)) this.running.facts.method = method;
  }

  override get name(): CallName {
    return { binding: 'mcp', operation: this.operation, dialect: `mcp-${this.revision}` };
  }

  override get begun(): McpReply | undefined {
    return this.message?.kind === 'request' ? this.message.request.reply : undefined;
  }

  override fault(error: A2AError): TextAnswer {
    return mcpFault(error, this.id);
  }
}
