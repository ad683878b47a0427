import { mcpEndpoint } from './mcp/mcp.endpoint.js';
import { runEndpoint } from './run/run.endpoint.js';

/** The optional ways into the service: an endpoint is its folder and a line here. */
export const ENDPOINTS = [runEndpoint, mcpEndpoint] as const;
