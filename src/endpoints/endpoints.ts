import { mcpEndpoint } from './mcp/mcp.endpoint.js';
import { runEndpoint } from './run/run.endpoint.js';

/** The optional endpoints: each is a folder and a line here. */
export const ENDPOINTS = [runEndpoint, mcpEndpoint] as const;
