import { faultAnswers } from './server/http/errors.js';
import { RUN_HEAD_FAULTS } from './server/intent/run-faults.js';
import { MCP_HEAD_FAULTS } from './server/mcp/mcp-faults.js';
import { REGISTRY_HEAD_FAULTS } from './server/registry/registry-faults.js';
import { REST_HEAD_FAULTS } from './server/rest/rest-faults.js';
import { RPC_HEAD_FAULTS } from './server/rpc/rpc-faults.js';

/** Answers the faults of requests that no binding has read, in the protocol of their callers. */
export const faultAnswer = faultAnswers(
  [RPC_HEAD_FAULTS, MCP_HEAD_FAULTS, RUN_HEAD_FAULTS, REGISTRY_HEAD_FAULTS],
  REST_HEAD_FAULTS,
);
