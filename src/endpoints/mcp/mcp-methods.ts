import { Inject, Injectable } from '@nestjs/common';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { unknownMethod } from '@parley/protocol/mcp/mcp-fault.js';
import type { McpRevision } from '@parley/protocol/mcp/revision.js';
import type { StreamOutcome } from '../../http/sse/open-stream.js';
import type { McpRequest } from './call/mcp-request.js';
import { Discovery } from './discovery.js';
import { McpMethodTable } from './mcp-method-table.js';
import { Listener } from './subscription/listener.js';

/** Runs the methods of MCP; the operations behind each check its rights. */
@Injectable()
export class McpMethods {
  constructor(
    @Inject(McpMethodTable) private readonly table: McpMethodTable,
    private readonly discovery: Discovery,
    private readonly listener: Listener,
  ) {}

  /** The result of `initialize`, which begins a session. */
  initialized(revision: McpRevision): object {
    return this.discovery.initialized(revision);
  }

  /** Whether a request opens a subscription, which may take hours. */
  isSubscription({ method, isModern }: McpRequest): boolean {
    return isModern && method === 'subscriptions/listen';
  }

  /** Answers such a request; resolves with the promise of its stream's end. @throws A2AError, McpFault */
  subscribe(request: McpRequest): Promise<{ readonly ended: Promise<StreamOutcome> }> {
    return this.listener.listen(request);
  }

  /** The JSON text of a result. @throws A2AError, McpFault for a method that the revision lacks */
  async answer(request: McpRequest): Promise<string> {
    const { isModern } = request;
    const method = (isModern ? this.table.modern : this.table.ofSessions).get(request.method);
    if (method === undefined) throw unknownMethod(isModern);
    const result = await method(request);
    return typeof result === 'string' ? result : resultText(result, isModern);
  }
}

/** Every result of the stateless revision states its kind; older ones have neither kinds nor cache hints. */
export function resultText(result: object, isModern: boolean): string {
  if (isModern && 'resultType' in result) return JSON.stringify(result);
  if (isModern) return completeText(JSON.stringify(result));
  if (!isJsonObject(result)) return JSON.stringify(result);
  const { resultType: _kind, ttlMs: _ttl, cacheScope: _scope, ...rest } = result;
  return JSON.stringify(rest);
}

/** Adds the first member without copying the result. */
function completeText(result: string): string {
  return result === '{}' ? '{"resultType":"complete"}' : `{"resultType":"complete",${result.slice(1)}`;
}
