import { Controller, Get, Options, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Answers } from '../answer/answers.js';
import { discoveryLinks } from '../../agents/card/ard/ard-documents.js';
import { isKnown, weakEtag } from '../answer/etag.js';
import { PLAIN_JSON_HEADERS } from '../answer/media-types.js';
import { headerOf, versionOf } from '../request/request-headers.js';
import type { AgentCard } from '@parley/protocol/model/agent-card.js';
import { hybridCard } from '@parley/protocol/card/hybrid-card.js';
import { requestedVersion } from '@parley/protocol/versions/version.js';
import { AgentCards } from '../../agents/card/agent-cards.js';
import { CallerGate } from '../../auth/caller.gate.js';
import type { ListedAddress } from '../../platform/address/listed-address.js';
import { varyByAddress } from '../answer/vary.js';
import { Public } from '../guards/public.js';

/** Paths of the card: the first for newer versions, the second for 0.1 and 0.2 (A2A-CARD-01, V02-04). */
const CARD_PATH = '/.well-known/agent-card.json';
const PATHS = [CARD_PATH, '.well-known/agent.json'];
/** The pure card of 1.0, for readers that state no version and refuse members unknown to 1.0 (decision 0015). */
const PATH_OF_V1 = '1.0/.well-known/agent-card.json';
/**
 * The card without gRPC, for readers that refuse a whole card because of one address that is not a URL on the card's
 * own origin, as google-adk does.
 */
const PATH_OF_HTTP = 'http/.well-known/agent-card.json';
/** Clients may keep the card this long (A2A-CARD-02). */
const MAX_AGE_S = 300;

/** Public documents are open to web pages too. */
export const CARD_CORS = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'ETag' };
export const CARD_PREFLIGHT = {
  ...CARD_CORS,
  'access-control-allow-methods': 'GET, OPTIONS',
  'access-control-allow-headers': 'A2A-Version, A2A-Extensions, If-None-Match',
  'access-control-max-age': '86400',
};

const SINCE = new Date().toUTCString();

/** The variant of the public card. */
interface CardForm {
  /** Only the members of 1.0. */
  readonly isPure: boolean;
  /** Only the addresses of HTTP. */
  readonly isOfHttp: boolean;
}

/** A prepared card: nothing of the answer is built per request. */
interface Served {
  readonly body: Buffer;
  readonly etag: string;
  /** Headers of every answer, also of 304. */
  readonly headers: Readonly<Record<string, string>>;
  readonly headersOfBody: Readonly<Record<string, string>>;
}

/**
 * Serves the public agent card, without authentication and for any origin. Clients that send `A2A-Version: 1.0` get the
 * pure 1.0 card; all others get a hybrid card readable by every version (A2A-CARD-05, A2A-SIGN-06, TRAP-69).
 */
@Public('the card is how callers find out how to call')
@Controller()
export class AgentCardController {
  private readonly served = new Map<string, Promise<Served>>();

  constructor(
    private readonly cards: AgentCards,
    private readonly answers: Answers,
    private readonly gate: CallerGate,
  ) {}

  @Get(PATHS)
  async card(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.send({ isPure: isOfV1(request), isOfHttp: false }, request, reply);
  }

  @Get(PATH_OF_V1)
  async cardOfV1(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.send({ isPure: true, isOfHttp: false }, request, reply);
  }

  @Get(PATH_OF_HTTP)
  async cardOfHttp(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.send({ isPure: isOfV1(request), isOfHttp: true }, request, reply);
  }

  @Options([...PATHS, PATH_OF_V1, PATH_OF_HTTP])
  preflight(@Res() reply: FastifyReply): void {
    void reply.status(204).headers(CARD_PREFLIGHT).send();
  }

  private async send(form: CardForm, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { body, etag, headers, headersOfBody } = await this.cardIn(form, this.gate.askedAt(request));
    // Not returned: a reply is a thenable, and awaiting it is expensive.
    if (isKnown(headerOf(request, 'if-none-match'), etag)) void reply.status(304).headers(headers).send();
    else this.answers.send(reply, { status: 200, headers: headersOfBody, text: body });
  }

  private cardIn({ isPure, isOfHttp }: CardForm, at?: ListedAddress): Promise<Served> {
    const url = this.cards.url(at);
    const form = `${String(isPure)} ${String(isOfHttp)} ${url}`;
    const made = (): Promise<AgentCard> => (isOfHttp ? this.cards.cardOfHttp(at) : this.cards.card(at));
    const link = discoveryLinks(new URL(url).pathname.replace(/\/$/, ''));
    const named = { link, ...varyByAddress(this.gate.surroundings, 'A2A-Version') };
    const present = this.served.get(form) ?? made().then((card) => served(card, isPure, named));
    this.served.set(form, present);
    return present;
  }
}

function isOfV1(request: FastifyRequest): boolean {
  return requestedVersion(versionOf(request)) === '1.0';
}

/** The tag is weak: replicas serve the same card, but each signs it itself, and signatures differ. */
function served(card: AgentCard, isPure: boolean, named: Readonly<Record<string, string>>): Served {
  const shaped = isPure ? card : hybridCard(card);
  const { signatures: _signatures, ...unsigned } = shaped;
  const etag = weakEtag(JSON.stringify(unsigned));
  // The card is constant while the process runs. The ETag distinguishes two cards; the date is for old caches.
  const caching = { etag, 'last-modified': SINCE, 'cache-control': `public, max-age=${String(MAX_AGE_S)}` };
  const headers = { ...CARD_CORS, ...caching, ...named };
  const body = Buffer.from(JSON.stringify(shaped));
  return { body, etag, headers, headersOfBody: { ...headers, ...PLAIN_JSON_HEADERS } };
}
