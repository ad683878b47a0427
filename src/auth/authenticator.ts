import type { Challenger } from './challenge/challenger.js';
import { readCredentials } from './incoming/credentials.js';
import type { IncomingCall } from './incoming/incoming-call.js';
import type { Principal } from './principal.js';
import type { CallerStrategy } from './strategies/caller-strategy.js';

/** Authenticates a call from its headers only, in the same way for every binding (A2A-AUTHN-02, A2A-AUTHN-05). */
export class Authenticator {
  /** @param strategies in order of precedence */
  constructor(
    private readonly strategies: readonly CallerStrategy[],
    private readonly challenger: Challenger,
  ) {}

  /**
   * The caller. @throws AuthError with its challenges for an unknown caller; A2AError Unavailable when the check is
   * impossible at the moment
   */
  async authenticate(call: IncomingCall): Promise<Principal> {
    for (const strategy of this.strategies) {
      const principal = await strategy.validate(call);
      if (principal !== undefined) return principal;
    }
    const credentials = readCredentials(call);
    const challenger = this.challenger.at(call.askedAt);
    if (credentials.kind === 'malformed') throw challenger.malformedRequest(credentials.why);
    throw challenger.missingCredentials();
  }
}
