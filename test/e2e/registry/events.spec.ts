import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { AUDIENCE, TestIssuer } from '../../kit/auth/test-issuer.js';
import { eventually } from '../../kit/run/eventually.js';
import { RestClient } from '../../kit/callers/rest-client.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';
import { SCRIPTED } from '../../kit/skills/scripted.skill.js';

const READ = 'a2a:registry.read';
const CURATOR = 'curator.secret-of-a-curator';
const READER = 'reader.secret-of-a-reader';
const FRIEND = 'friend.secret-of-a-friend';
const STRANGER = 'stranger.secret-of-another-tenant';
const WITHOUT = 'without.secret-of-one-without-scopes';
const GREEDY = 'greedy.secret-of-one-that-wants-all';

interface Frame {
  readonly id: string;
  readonly name: string;
  readonly data: Readonly<Record<string, string>>;
}

let issuer: TestIssuer;
let cards: Server;
let service: RunningApp;
let variables: Readonly<Record<string, string>>;

const host = (): string => `127.0.0.1:${String((cards.address() as AddressInfo).port)}`;

const asKey = (key: string): Readonly<Record<string, string>> => ({ 'x-api-key': key });

/** An open feed. */
class Feed {
  text = '';
  private readonly reading: Promise<void>;

  private constructor(
    readonly response: Response,
    private readonly end: AbortController,
  ) {
    this.reading = this.read();
  }

  static async open(url: string, headers: Readonly<Record<string, string>>, after?: string): Promise<Feed> {
    const end = new AbortController();
    const resumed = after === undefined ? {} : { 'last-event-id': after };
    const asked = { headers: { ...headers, ...resumed }, signal: end.signal };
    return new Feed(await fetch(`${url}/registry/events`, asked), end);
  }

  get frames(): readonly Frame[] {
    const found = this.text.matchAll(/^id: (.*)\nevent: (.*)\ndata: (.*)\n\n/gm);
    return [...found].map(([, id = '', name = '', data = '']) => ({ id, name, data: JSON.parse(data) }));
  }

  get names(): readonly string[] {
    return this.frames.map(({ name }) => name);
  }

  async until(...names: readonly string[]): Promise<this> {
    await eventually(() => {
      expect(this.names).toEqual(names);
    });
    return this;
  }

  /** Resolves when the service has ended the stream. */
  async ended(): Promise<string> {
    await this.reading;
    return this.text;
  }

  async close(): Promise<void> {
    this.end.abort();
    await this.reading;
  }

  private async read(): Promise<void> {
    try {
      for await (const piece of (this.response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
        this.text += piece;
      }
    } catch (error) {
      if (!this.end.signal.aborted) throw error;
    }
  }
}

/** An agent that a curator has proposed and approved under a name of its own. */
async function approved(name: string, clients?: readonly string[]): Promise<string> {
  const rest = new RestClient(service.url, { ...asKey(CURATOR), 'content-type': 'application/json' });
  const shown = clients === undefined ? {} : { visibility: 'clients', clients };
  const identifier = `urn:air:127.0.0.1:agent:${name}`;
  const { body } = await rest.call('POST', '/registry/entries', { url: `http://${host()}`, identifier, ...shown });
  const answer = await act(identifier, 'approve', { hash: body.entry.hash });
  expect(answer).toBe(200);
  return identifier;
}

async function act(identifier: string, verb: string, body: object): Promise<number> {
  const rest = new RestClient(service.url, { ...asKey(CURATOR), 'content-type': 'application/json' });
  const method = verb === 'visibility' ? 'PUT' : 'POST';
  return (await rest.call(method, `/registry/entries/${encodeURIComponent(identifier)}/${verb}`, body)).status;
}

describe('GET /registry/events', () => {
  beforeAll(async () => {
    issuer = await TestIssuer.start();
    // An agent of another host: it has the card of the service.
    cards = createServer((request, response) => {
      void fetch(`${service.url}${request.url ?? ''}`).then(async (card) => response.end(await card.text()));
    }).listen(0, '127.0.0.1');
    await once(cards, 'listening');
    const keys = [
      apiKeyEntry(CURATOR, { tenant: 'acme', scopes: `${READ},a2a:registry.register,a2a:registry.curate` }),
      ...[READER, FRIEND, GREEDY].map((key) => apiKeyEntry(key, { tenant: 'acme', scopes: READ })),
      apiKeyEntry(STRANGER, { tenant: 'other', scopes: READ }),
      apiKeyEntry(WITHOUT, { tenant: 'acme', scopes: 'a2a:tasks.read' }),
    ];
    variables = {
      ...{ REGISTRY: 'true', EGRESS_ALLOW: `${host()}=127.0.0.1/32!http`, API_KEYS: keys.join(';') },
      ...{ JWT_ISSUER: issuer.url, JWT_TENANT_CLAIM: 'org', JWT_AUDIENCE: AUDIENCE },
    };
    service = await runApp(variables, SCRIPTED);
  });

  afterAll(async () => {
    await service.close();
    cards.close();
    cards.closeAllConnections();
    await issuer.stop();
  });

  it('O-65: streams what its caller finds: each change with a link that reads the agent, and nothing of others', async () => {
    const [reader, friend, stranger] = await Promise.all(
      [READER, FRIEND, STRANGER].map((key) => Feed.open(service.url, asKey(key))),
    );
    if (reader === undefined || friend === undefined || stranger === undefined) throw new Error('three were opened');
    expect([reader.response.status, reader.response.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ]);
    expect(reader.response.headers.get('cache-control')).toBe('no-store, no-transform');
    expect(reader.response.headers.get('x-request-id')).not.toBeNull();
    await reader.until('reset');
    const open = await approved('open');
    await approved('hidden', ['friend']);
    await friend.until('reset', 'listed', 'listed');
    await reader.until('reset', 'listed');
    const [reset, listed] = reader.frames;
    expect(reset).toMatchObject({ id: 'start', data: { change: 'reset', url: `${service.url}/registry/agents` } });
    expect(listed?.data).toEqual({
      ...{ change: 'listed', identifier: open, at: expect.stringMatching(/^\d{4}-.*Z$/) },
      url: `${service.url}/registry/agents/${encodeURIComponent(open)}`,
    });
    const read = await fetch(listed?.data.url ?? '', { headers: asKey(READER) });
    expect(await read.json()).toMatchObject({ identifier: open });
    expect(await act(open, 'visibility', { visibility: 'clients', clients: ['friend'] })).toBe(200);
    await friend.until('reset', 'listed', 'listed', 'changed');
    await reader.until('reset', 'listed', 'gone');
    expect(reader.frames.at(-1)?.data).toEqual({ change: 'gone', identifier: open, at: expect.any(String) });
    expect(reader.text).not.toContain('hidden');
    expect(stranger.names).toEqual(['reset']);
    await Promise.all([reader, friend, stranger].map((feed) => feed.close()));
  });

  it('goes on behind Last-Event-ID at another replica, and resets behind an id that nobody knows', async () => {
    const replica = await runApp({ ...variables, KEY_PREFIX: service.keyPrefix }, SCRIPTED);
    try {
      const here = await Feed.open(service.url, asKey(FRIEND));
      await here.until('reset');
      await approved('first');
      await here.until('reset', 'listed');
      await here.close();
      await approved('second');
      expect(await act('urn:air:127.0.0.1:agent:first', 'suspend', { reason: 'test' })).toBe(200);
      const there = await Feed.open(replica.url, asKey(FRIEND), here.frames.at(-1)?.id);
      await there.until('listed', 'gone');
      const lost = await Feed.open(replica.url, asKey(FRIEND), 'of-somewhere-else');
      await lost.until('reset');
      const third = await approved('third');
      await there.until('listed', 'gone', 'listed');
      await lost.until('reset', 'listed');
      expect(there.frames.at(-1)).toEqual(lost.frames.at(-1));
      expect(lost.frames.at(-1)?.data.identifier).toBe(third);
      await Promise.all([there.close(), lost.close()]);
    } finally {
      await replica.close();
    }
  });

  it.each([
    ['no credential', {}, 401, 'UNAUTHENTICATED'],
    ['a caller without the scope', asKey(WITHOUT), 403, 'PERMISSION_DENIED'],
  ])('refuses %s in the form of the registry', async (_what, headers, status, errorCode) => {
    const answer = await fetch(`${service.url}/registry/events`, { headers });
    expect([answer.status, await answer.json()]).toMatchObject([status, { errorCode }]);
  });

  it('bounds the open feeds of a caller, apart from its streams and from other callers', async () => {
    const feeds = await Promise.all(Array.from({ length: 10 }, () => Feed.open(service.url, asKey(GREEDY))));
    const refused = await fetch(`${service.url}/registry/events`, { headers: asKey(GREEDY) });
    expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toMatchObject([
      ...[429, '10'],
      { errorCode: 'RESOURCE_EXHAUSTED', message: expect.stringContaining('open registry feeds of one caller') },
    ]);
    await (await Feed.open(service.url, asKey(READER))).close();
    await Promise.all(feeds.map((feed) => feed.close()));
    await eventually(async () => {
      const feed = await Feed.open(service.url, asKey(GREEDY));
      await feed.close();
      expect(feed.response.status).toBe(200);
    });
  });

  it('ends with the credential of its caller', async () => {
    // The service takes a token for 30 s more, and so long a feed may outlive it.
    const exp = Math.floor(Date.now() / 1000) - 28;
    const claims = { org: 'acme', client_id: 'late', scope: READ, iat: exp - 60, exp };
    const feed = await Feed.open(service.url, { authorization: `Bearer ${issuer.token(claims)}` });
    await feed.until('reset');
    expect(await feed.ended()).not.toContain('going away');
    expect(feed.response.status).toBe(200);
  });

  it('asks its readers to come back when the process leaves', async () => {
    const replica = await runApp({ ...variables, KEY_PREFIX: service.keyPrefix }, SCRIPTED);
    const feed = await Feed.open(replica.url, asKey(FRIEND));
    await feed.until('reset');
    await replica.close();
    expect(await feed.ended()).toMatch(/\nretry: \d+\n: going away\n\n$/);
    const id = feed.frames.at(-1)?.id;
    const again = await Feed.open(service.url, asKey(FRIEND), id);
    await approved('last');
    await again.until('listed');
    await again.close();
  });
});
