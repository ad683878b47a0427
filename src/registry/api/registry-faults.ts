import { A2AError, invalidParams } from '@parley/protocol/model/errors.js';
import { REST_HTTP_STATUS } from '@parley/protocol/binding/rest-http-status.js';
import { restErrorV1 } from '@parley/protocol/v1_0/rest-errors.js';
import type { RegistryEntry } from '../entry/registry-entry.js';
import { isIdentifier } from '../../agents/card/ard/identifier.js';
import type { Outcome } from '../registrations.js';
import { PLAIN_JSON_HEADERS } from '../../http/answer/media-types.js';
import { conflict, faultHeaders, type HeadFaults, HttpFault } from '../../http/errors.js';

/** The answer for missing agents and for those that are invisible to the caller. */
export function noSuchAgent(): HttpFault {
  return new HttpFault('MethodNotFound', 'The registry has no such agent', 404);
}

/** Accepts identifiers. @throws A2AError InvalidParams */
export function identifierParam(text: string): string {
  if (!isIdentifier(text)) throw invalidParams([{ field: 'identifier', description: 'must be a urn:air: identifier' }]);
  return text;
}

/** The agent changed by an action; undefined when it was removed. @throws A2AError for any other outcome */
export function entryAfter(outcome: Outcome): RegistryEntry | undefined {
  switch (outcome.kind) {
    case 'done':
      return outcome.entry;
    case 'missing':
      throw noSuchAgent();
    case 'conflict':
      throw conflict(new A2AError('InvalidRequest', outcome.why));
    case 'refused':
      throw new A2AError('InvalidParams', outcome.why);
    case 'full':
      throw new HttpFault('RateLimited', outcome.why, 429);
  }
}

/** Faults of the registry, in the form of ARD 0.91 with the details of HTTP+JSON. */
export const REGISTRY_HEAD_FAULTS: HeadFaults = {
  takes: ({ path }) => path.startsWith('/registry/'),
  answer: (fault) => {
    const httpStatus = fault instanceof HttpFault ? fault.httpStatus : REST_HTTP_STATUS[fault.kind];
    const { status, message, details } = restErrorV1(fault, httpStatus).error;
    const text = JSON.stringify({ errorCode: httpStatus === 409 ? 'CONFLICT' : status, message, details });
    return { status: httpStatus, headers: { ...PLAIN_JSON_HEADERS, ...faultHeaders(fault) }, text };
  },
};
