import { A2AError, invalidParams } from '@parley/protocol/model/errors.js';
import type { RegistryEntry } from '../../registry/entry/registry-entry.js';
import { isIdentifier } from '../../registry/ard/identifier.js';
import type { Outcome } from '../../registry/registrations.js';
import { conflict, HttpFault } from '../http/http-fault.js';

/** The answer for agents that are missing and for those that the caller may not see. */
export function noSuchAgent(): HttpFault {
  return new HttpFault('MethodNotFound', 'The registry has no such agent', 404);
}

/** Lets identifiers through. @throws A2AError InvalidParams */
export function identifierParam(text: string): string {
  if (!isIdentifier(text)) throw invalidParams([{ field: 'identifier', description: 'must be a urn:air: identifier' }]);
  return text;
}

/** The agent that an action has changed; undefined where it has removed it. @throws A2AError for any other outcome */
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
