import { Controller, Get, Header } from '@nestjs/common';
import { WebhookTokens } from '../push/webhook-tokens.js';

/** The keys by which receivers check the tokens of webhooks (RFC 7517). Open to everybody. */
@Controller('.well-known/jwks.json')
export class WebhookKeysController {
  constructor(private readonly tokens: WebhookTokens) {}

  @Get()
  @Header('cache-control', 'public, max-age=300')
  keys(): ReturnType<WebhookTokens['publicKeys']> {
    return this.tokens.publicKeys();
  }
}
