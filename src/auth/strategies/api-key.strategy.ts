import type { ApiKeyVerifier } from '../api-key/api-key.verifier.js';
import type { Challenger } from '../challenge/challenger.js';
import { readCredentials } from '../incoming/credentials.js';
import type { IncomingCall } from '../incoming/incoming-call.js';
import type { Principal } from '../principal.js';
import { CallerStrategy } from './caller-strategy.js';

/** Authenticates callers by API keys issued by the operator. */
export class ApiKeyStrategy extends CallerStrategy {
  /** @param path path of the protected resource; default: the service itself */
  constructor(
    private readonly keys: ApiKeyVerifier,
    private readonly challenger: Challenger,
    path = '',
  ) {
    super(`api-key${path}`, 'api-key');
  }

  override validate(call: IncomingCall): Promise<Principal | undefined> {
    const credentials = readCredentials(call);
    if (credentials.kind !== 'api-key') return Promise.resolve(undefined);
    const principal = this.keys.verify(credentials.key);
    if (principal !== undefined) return Promise.resolve(principal);
    return Promise.reject(this.challenger.at(call.askedAt).refusedCredentials('The API key is not valid', 'api key'));
  }
}
