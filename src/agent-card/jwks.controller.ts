import { Controller, Get, Header, Inject } from '@nestjs/common';
import type { JWK } from 'jose';
import { SigningKeys } from './signing-keys.js';

/** Publishes the keys that sign the agent's cards (A2A-SIGN-04). */
@Controller('.well-known')
export class JwksController {
  constructor(@Inject(SigningKeys) private readonly keys: SigningKeys) {}

  @Get('jwks.json')
  @Header('access-control-allow-origin', '*')
  @Header('cache-control', 'public, max-age=300')
  keySet(): { readonly keys: readonly JWK[] } {
    return { keys: this.keys.map(({ publicJwk }) => publicJwk) };
  }
}
