import { A2AError } from '@parley/protocol/model/errors.js';
import type { IncomingCall } from '../incoming/incoming-call.js';
import { forwardedBy, isMeantForThisMachine } from '../incoming/open-start.js';
import { LOCAL_PRINCIPAL, type Principal } from '../principal.js';
import { CallerStrategy } from './caller-strategy.js';

/** Identifies every program of this machine as the local caller: the open start, on loopback only. */
export class LocalStrategy extends CallerStrategy {
  /** @param path path of the protected resource; default: the service itself */
  constructor(path = '') {
    super(`local${path}`, 'local');
  }

  override validate(call: IncomingCall): Promise<Principal> {
    if (isMeantForThisMachine(call)) return Promise.resolve(LOCAL_PRINCIPAL);
    const header = forwardedBy(call);
    const text =
      header === undefined
        ? 'This service is open to callers on its own machine only'
        : `This service is open to callers on its own machine only, and the header ${header} says that a proxy brings this one: configure authentication (JWT_ISSUER, API_KEYS), or name the proxy in INGRESS_NETWORKS`;
    return Promise.reject(new A2AError('PermissionDenied', text));
  }
}
