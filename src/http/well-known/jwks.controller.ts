import { Controller, Get, Header, Inject, Optional } from '@nestjs/common';
import type { JWK } from 'jose';
import { WebhookTokens } from '../../webhooks/signing/webhook-tokens.js';
import { CardSigningKeys } from '../../agents/card/card-signing-keys.js';
import { Public } from '../guards/public.js';

/** Publishes the keys that sign the agent's cards and its tokens for webhooks (A2A-SIGN-04, A2A-PN-10; RFC 7517). */
@Public('receivers and callers verify signatures with it')
@Controller('.well-known')
export class JwksController {
  constructor(
    @Inject(CardSigningKeys) private readonly cards: CardSigningKeys,
    @Optional() private readonly webhooks?: WebhookTokens,
  ) {}

  @Get('jwks.json')
  @Header('access-control-allow-origin', '*')
  @Header('cache-control', 'public, max-age=300')
  async keySet(): Promise<{ readonly keys: readonly JWK[] }> {
    const webhookKeys = (await this.webhooks?.publicKeys()) ?? [];
    return { keys: [...this.cards.map(({ publicJwk }) => publicJwk), ...webhookKeys] };
  }
}
