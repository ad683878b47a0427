import type { OperationName } from '@parley/protocol/model/operations.js';
import type { CallName } from '../binding/call-runner.js';
import type { McpExchange } from './mcp-exchange.js';

/** The operation that each method amounts to: as what it is counted. Methods without one are counted by their own names. */
const OPERATIONS: Readonly<Record<string, OperationName>> = {
  'tools/call': 'SendMessage',
  'tasks/get': 'GetTask',
  'tasks/update': 'SendMessage',
  'tasks/cancel': 'CancelTask',
  'resources/list': 'ListTasks',
  'resources/read': 'GetTask',
  'subscriptions/listen': 'SubscribeToTask',
};

/** As what a message is counted; names its method for the log where it is one of ours. */
export function nameOfMcpCall({ running, method = '', revision }: McpExchange): CallName {
  const operation = Object.hasOwn(OPERATIONS, method) ? OPERATIONS[method] : undefined;
  if (/^[\w/]{1,64}$/.test(method)) running.facts.method = method;
  return { binding: 'mcp', operation, dialect: `mcp-${revision}` };
}
