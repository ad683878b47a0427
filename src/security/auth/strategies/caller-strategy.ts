import passport from 'passport';
import { type HttpRequest, type IncomingCall, isHttpRequest } from '../incoming/incoming-call.js';
import type { Principal } from '../principal.js';

/**
 * One way of knowing callers, as a strategy of Passport with a name of its own, by which `AuthGuard('<name>')` asks it. The
 * credential is verified once for a request, before its body is read (`refuseEarly`): `validate` does that, for gRPC too,
 * which Passport does not know. Passport is answered with the result.
 */
export abstract class CallerStrategy extends passport.Strategy {
  /**
   * Passport has one registry for the process.
   * @param name unique: a second strategy of a name would replace the first one
   * @param method of the callers that it knows
   */
  protected constructor(
    override readonly name: string,
    private readonly method: Principal['method'],
  ) {
    super();
    passport.use(name, this);
  }

  /**
   * The caller; undefined when the call has no credential of this kind. @throws AuthError for a credential that is refused,
   * A2AError Unavailable when it cannot be checked at the moment
   */
  abstract validate(call: IncomingCall): Promise<Principal | undefined>;

  override authenticate(request: unknown): void {
    const { admission } = isHttpRequest(request) ? request : ({} as Partial<HttpRequest>);
    if (admission === undefined) {
      this.error(new TypeError('Passport knows callers by their HTTP requests only, behind the hook that admits them'));
      return;
    }
    admission.then(
      (principal) => {
        if (principal.method === this.method) this.success(principal);
        else this.fail();
      },
      (error: unknown) => {
        this.error(error);
      },
    );
  }
}
