import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import passport from 'passport';
import { CallerGate } from './caller.gate.js';
import { isHttpRequest } from './incoming-call.js';
import type { Principal } from './principal.js';

/** The name that guards know the strategy by. */
export const CALLER_STRATEGY = 'caller';

/**
 * Passport's view of the gate. It does not use the token check of `passport-jwt` itself, which knows no EdDSA and takes
 * tokens that RFC 9068 refuses; the extractors of `passport-jwt` read the header, see `credentials.ts`.
 */
@Injectable()
export class CallerStrategy extends PassportStrategy(passport.Strategy, CALLER_STRATEGY) {
  constructor(private readonly gate: CallerGate) {
    super();
  }

  override authenticate(request: unknown): void {
    this.validate(request).then(
      (principal) => {
        this.success(principal);
      },
      (error: unknown) => {
        this.error(error);
      },
    );
  }

  override async validate(request: unknown): Promise<Principal> {
    if (!isHttpRequest(request)) throw new TypeError('Callers are known by their HTTP requests only');
    return this.gate.admitHttp(request);
  }
}
