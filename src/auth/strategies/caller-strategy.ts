import passport from 'passport';
import { type HttpRequest, type IncomingCall, isHttpRequest } from '../incoming/incoming-call.js';
import type { Principal } from '../principal.js';

/**
 * One authentication method, as a Passport strategy with a name of its own for `AuthGuard('<name>')`. The credential is
 * verified once per request, before its body is read (`refuseEarly`): `validate` does that, also for gRPC, which
 * Passport does not support. Passport gets the result.
 */
export abstract class CallerStrategy extends passport.Strategy {
  /**
   * Passport has one registry per process.
   * @param name unique: a second strategy of the same name would replace the first
   * @param method authentication method of its callers
   */
  protected constructor(
    override readonly name: string,
    private readonly method: Principal['method'],
  ) {
    super();
    passport.use(name, this);
  }

  /**
   * The caller; undefined when the call has no credential of this kind. @throws AuthError for a refused credential,
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
