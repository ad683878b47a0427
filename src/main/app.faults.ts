import { faultAnswers } from '../http/errors.js';
import { FEATURES } from './app.features.js';
import type { Feature } from '../http/binding/feature.js';
import { REST_HEAD_FAULTS } from '../http/rest/rest-faults.js';
import { RPC_HEAD_FAULTS } from '../http/rpc/rpc-faults.js';

/** Formats the faults of unread requests in the protocols of their callers. */
export const faultAnswer = faultAnswers(
  [RPC_HEAD_FAULTS, ...FEATURES.flatMap((feature: Feature) => feature.faults ?? [])],
  REST_HEAD_FAULTS,
);
