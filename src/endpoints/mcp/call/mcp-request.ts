import type { Call } from '../../../operations/call.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { JsonName } from '@parley/protocol/json/json-name.js';
import type { ClientCapabilities } from '@parley/protocol/mcp/client-capabilities.js';
import type { McpRequestId } from '@parley/protocol/mcp/mcp-message.js';
import type { McpRevision } from '@parley/protocol/mcp/revision.js';
import type { McpReply } from './mcp-reply.js';

/** A checked MCP request of a known caller, with the call behind it. */
export interface McpRequest {
  readonly id: McpRequestId;
  readonly method: string;
  readonly params: JsonObject;
  /** The `_meta` of the params. */
  readonly meta: JsonObject;
  readonly revision: McpRevision;
  /** Whether it is of the stateless revision. */
  readonly isModern: boolean;
  readonly capabilities: ClientCapabilities;
  /** The name of this request in progress notifications; absent when the client wants none. */
  readonly progressToken?: JsonName | undefined;
  readonly call: Call;
  readonly reply: McpReply;
  /** A header of the request, in the stateless revision, whose headers repeat the body. */
  readonly header?: (name: string) => string | undefined;
}
