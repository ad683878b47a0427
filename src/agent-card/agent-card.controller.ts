import { createHash } from 'node:crypto';
import { Controller, Get, Headers, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AgentCardBuilder } from './agent-card.builder.js';

/** Clients may keep the card this long (A2A-CARD-02). */
const MAX_AGE_S = 300;

/** Serves the public agent card: open to everybody, from any origin (A2A-CARD-01). */
@Controller('.well-known')
export class AgentCardController {
  private served: { readonly text: string; readonly etag: string } | undefined;

  constructor(private readonly builder: AgentCardBuilder) {}

  @Get('agent-card.json')
  async card(@Headers('if-none-match') known: string | undefined, @Res() reply: FastifyReply): Promise<void> {
    this.served ??= served(JSON.stringify(this.builder.build()));
    const { text, etag } = this.served;
    void reply
      .header('access-control-allow-origin', '*')
      .header('cache-control', `public, max-age=${String(MAX_AGE_S)}`)
      .header('etag', etag);
    if (known === etag) return reply.status(304).send();
    return reply.header('content-type', 'application/json; charset=utf-8').send(text);
  }
}

function served(text: string): { readonly text: string; readonly etag: string } {
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"` };
}
