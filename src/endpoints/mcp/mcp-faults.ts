import type { A2AError } from '@parley/protocol/model/errors.js';
import { mcpErrorOf } from '@parley/protocol/mcp/mcp-fault.js';
import { mcpErrorText, type McpRequestId } from '@parley/protocol/mcp/mcp-message.js';
import { PLAIN_JSON_HEADERS } from '../../http/answer/media-types.js';
import { faultHeaders, type HeadFaults, HttpFault, type TextAnswer } from '../../http/errors.js';

/** The path of MCP, if it is served. */
export const MCP_PATH = '/mcp';

/** A fault with the id of its message; undefined without one, or before it has been read. */
export function mcpFault(fault: A2AError, id: McpRequestId | undefined): TextAnswer {
  const { status, error } = mcpErrorOf(fault);
  return {
    status: fault instanceof HttpFault ? fault.httpStatus : status,
    headers: { ...PLAIN_JSON_HEADERS, ...faultHeaders(fault) },
    text: mcpErrorText(id, error),
  };
}

export const MCP_HEAD_FAULTS: HeadFaults = {
  takes: ({ path }) => path === MCP_PATH,
  answer: (error) => mcpFault(error, undefined),
};
