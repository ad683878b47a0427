import { faultAnswers } from '../http/errors.js';
import { ENDPOINTS } from '../endpoints/endpoints.js';
import { REGISTRY_HEAD_FAULTS } from '../registry/api/registry-faults.js';
import { REST_HEAD_FAULTS } from '../http/rest/rest-faults.js';
import { RPC_HEAD_FAULTS } from '../http/rpc/rpc-faults.js';

/** Formats the faults of unread requests in the protocols of their callers. */
export const faultAnswer = faultAnswers(
  [RPC_HEAD_FAULTS, ...ENDPOINTS.map(({ faults }) => faults), REGISTRY_HEAD_FAULTS],
  REST_HEAD_FAULTS,
);
