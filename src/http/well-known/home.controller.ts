import { Controller, Get, Header, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PLAIN_JSON_HEADERS } from '../answer/media-types.js';
import { headerOf } from '../request/request-headers.js';
import { AgentCards } from '../../agents/card/agent-cards.js';
import { ARD_PATH, discoveryLinks } from '../../agents/card/ard/ard-documents.js';
import { CallerGate } from '../../auth/caller.gate.js';
import { varyByAddress } from '../answer/vary.js';
import { Public } from '../guards/public.js';

/** The links of the home page: relation and path, below the path of PUBLIC_URL. */
const LINKS = {
  card: '/.well-known/agent-card.json',
  ard: ARD_PATH,
  live: '/health/live',
  ready: '/health/ready',
} as const;

const HTML_HEADERS = { 'content-type': 'text/html; charset=utf-8' } as const;

/** Answers `GET /` publicly: a small page for people, the same links as JSON for programs. Calls are `POST /`. */
@Public('it only links to what is open')
@Controller()
export class HomeController {
  constructor(
    private readonly cards: AgentCards,
    private readonly gate: CallerGate,
  ) {}

  @Get()
  @Header('cache-control', 'no-cache')
  async home(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { name, description, version } = await this.cards.card();
    const prefix = new URL(this.cards.url(this.gate.askedAt(request))).pathname.replace(/\/$/, '');
    void reply.headers({ link: discoveryLinks(prefix), ...varyByAddress(this.gate.surroundings, 'Accept') });
    const links = Object.fromEntries(Object.entries(LINKS).map(([relation, path]) => [relation, `${prefix}${path}`]));
    const isPerson = headerOf(request, 'accept')?.includes('text/html') === true;
    if (isPerson) void reply.headers(HTML_HEADERS).send(pageOf(name, description, links));
    else void reply.headers(PLAIN_JSON_HEADERS).send(JSON.stringify({ name, description, version, links }));
  }
}

function pageOf(name: string, description: string, links: Readonly<Record<string, string>>): string {
  const items = Object.entries(links).map(
    ([relation, path]) => `<li><a href="${escaped(path)}">${relation}: ${escaped(path)}</a></li>`,
  );
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escaped(name)}</title><link rel="ard" href="${escaped(links.ard ?? ARD_PATH)}"></head>
<body>
<h1>${escaped(name)}</h1>
<p>${escaped(description)}</p>
<p>This is an A2A agent. Programs call it with <code>POST /</code> (JSON-RPC) or <code>POST /message:send</code> (HTTP+JSON).</p>
<ul>
${items.join('\n')}
</ul>
</body>
</html>
`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${String(character.charCodeAt(0))};`);
}
