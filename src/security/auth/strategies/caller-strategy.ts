import { httpCall, isHttpRequest, type IncomingCall } from '../incoming/incoming-call.js';
import type { Principal } from '../principal.js';

/**
 * One way of knowing callers, in Passport's shape: `AuthGuard('<name>')` asks it through Passport. The caller guard and gRPC
 * ask `validate` itself, in the order of the strategies: Passport knows HTTP only, and its dispatch costs 18 µs a call,
 * where a known token costs 6.
 */
export interface CallerStrategy {
  /**
   * The caller; undefined when the call has no credential of this kind. @throws AuthError for a credential that is refused,
   * A2AError Unavailable when it cannot be checked at the moment
   */
  validate(call: IncomingCall): Promise<Principal | undefined>;
}

/** The three ways in which Passport lets a strategy end; it adds them to the instance that it asks. */
interface PassportOutcomes {
  success(user: object): void;
  fail(): void;
  error(error: unknown): void;
}

/** Passport's question, answered by the strategy. */
export function answerPassport(strategy: CallerStrategy & PassportOutcomes, request: unknown): void {
  if (!isHttpRequest(request)) {
    strategy.error(new TypeError('Passport knows callers by their HTTP requests only'));
    return;
  }
  strategy.validate(httpCall(request)).then(
    (principal) => {
      if (principal === undefined) strategy.fail();
      else strategy.success(principal);
    },
    (error: unknown) => {
      strategy.error(error);
    },
  );
}
