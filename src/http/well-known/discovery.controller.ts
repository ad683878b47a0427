import { Controller, Get, Inject, Options, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AgentCards } from '../../agents/card/agent-cards.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import {
  aiCatalog,
  ARD_PATH,
  ardManifest,
  CATALOG_PATH,
  type ListedResource,
  type Published,
} from '../../agents/card/ard/ard-documents.js';
import { CallerGate } from '../../auth/caller.gate.js';
import { varyByAddress } from '../answer/vary.js';
import { Public } from '../guards/public.js';
import { Answers } from '../answer/answers.js';
import { isKnown, weakEtag } from '../answer/etag.js';
import { PLAIN_JSON_HEADERS } from '../answer/media-types.js';
import { headerOf } from '../request/request-headers.js';
import { CARD_CORS, CARD_PREFLIGHT } from './agent-card.controller.js';

/** Crawlers may keep a document as long as the card. */
const CACHING = 'public, max-age=300';

type Document = (published: Published) => JsonObject;

/** Injection token of the resources of this service besides the agent. */
export const ListedResources = Symbol('ListedResources');

/** Publishes this host's offer for crawlers and registries: the ARD manifest, and the same as an AI Catalog (O-65). */
@Public('it shows what the public card shows')
@Controller()
export class DiscoveryController {
  constructor(
    private readonly cards: AgentCards,
    private readonly answers: Answers,
    private readonly gate: CallerGate,
    @Inject(ListedResources) private readonly listed: readonly ListedResource[],
  ) {}

  @Get(ARD_PATH)
  ard(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.send(ardManifest, request, reply);
  }

  @Get(CATALOG_PATH)
  catalog(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.send(aiCatalog, request, reply);
  }

  @Options([ARD_PATH, CATALOG_PATH])
  preflight(@Res() reply: FastifyReply): void {
    void reply.status(204).headers(CARD_PREFLIGHT).send();
  }

  private async send(document: Document, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const at = this.gate.askedAt(request);
    const published = { card: await this.cards.card(at), url: this.cards.url(at), listed: this.listed };
    const body = JSON.stringify(document(published));
    const etag = weakEtag(body);
    const headers = { ...CARD_CORS, etag, 'cache-control': CACHING, ...varyByAddress(this.gate.surroundings) };
    if (isKnown(headerOf(request, 'if-none-match'), etag)) void reply.status(304).headers(headers).send();
    else this.answers.send(reply, { status: 200, headers: { ...headers, ...PLAIN_JSON_HEADERS }, text: body });
  }
}
