import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { rawHttp } from '../../kit/auth/raw-http.js';
import { aMessage } from '../../kit/callers/rpc-client.js';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';

let running: RunningApp;
let port: number;

const rpc = (): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: aMessage('hello', { skillId: 'echo' }) });
const rest = (): string => JSON.stringify(aMessage('hello', { skillId: 'echo' }));

const API_FILES: readonly (readonly [path: string, body: () => string])[] = [
  ['/', rpc],
  ['/message:send', rest],
  ['/v1/message:send', rest],
  ['/webhooks/redrive', () => '{}'],
];

/** What a browser sends for `fetch(url, { method: 'POST', mode: 'no-cors', body: new Blob([json]) })`. */
const CROSS_SITE: readonly (readonly [string, string])[] = [
  ['Origin', 'https://evil.example'],
  ['Sec-Fetch-Site', 'cross-site'],
  ['Sec-Fetch-Mode', 'no-cors'],
];

describe('open start', () => {
  beforeAll(async () => {
    running = await runApp({ MCP: 'true' });
    port = Number(new URL(running.url).port);
  });

  afterAll(() => running.close());

  describe('the open start', () => {
    it.each(API_FILES)('refuses a web page of another origin at POST %s', async (path, body) => {
      const answer = await rawHttp(port, { path, headers: CROSS_SITE, body: body() });
      expect(answer.status).toBe(403);
    });

    it.each(API_FILES)('refuses a body without a content type at POST %s', async (path, body) => {
      const response = await fetch(`${running.url}${path}`, { method: 'POST', body: new Blob([body()]) });
      expect(response.status).toBe(415);
      expect(await response.text()).not.toContain('TASK_STATE');
    });

    it('refuses a request of another site to read, which has no Origin', async () => {
      const answer = await rawHttp(port, {
        method: 'GET',
        path: '/tasks',
        headers: [['Sec-Fetch-Site', 'cross-site']],
      });
      expect(answer.status).toBe(403);
    });

    const FORWARDING = ['Forwarded', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Real-IP', 'Via'];
    const DOORS: readonly (readonly [string, string, () => string])[] = [
      ...API_FILES.map(([path, body]) => ['POST', path, body] as const),
      ['POST', '/run', () => '{}'],
      ['POST', '/mcp', () => '{}'],
      ['GET', '/tasks', () => ''],
      ['GET', '/console/api/tasks', () => ''],
      ['GET', '/registry/entries', () => ''],
    ];

    it.each(FORWARDING)('refuses a call that a proxy brings, by %s, at every endpoint (A13)', async (name) => {
      for (const [method, path, body] of DOORS) {
        const answer = await rawHttp(port, { method, path, headers: [[name, 'for=203.0.113.5']], body: body() });
        expect([path, answer.status]).toEqual([path, 403]);
        expect(answer.body).toContain(name.toLowerCase());
      }
      const metrics = await rawHttp(port, { method: 'GET', path: '/metrics', headers: [[name, '203.0.113.5']] });
      expect(metrics.status).toBe(404);
    });

    it('gives metrics to programs of this machine', async () => {
      expect((await fetch(`${running.url}/metrics`)).status).toBe(200);
    });

    it('answers programs of this machine, and pages of its own origin', async () => {
      const headers = [['Origin', `http://localhost:${String(port)}`]] as const;
      expect((await rawHttp(port, { path: '/', headers, body: rpc() })).body).toContain('TASK_STATE_COMPLETED');
      expect((await rawHttp(port, { path: '/', body: rpc() })).body).toContain('TASK_STATE_COMPLETED');
    });
  });

  describe('a service that asks for credentials', () => {
    it('is reached at /mcp by the host of PUBLIC_URL, and shows metrics to nobody behind a proxy (A13)', async () => {
      const key = `probe.${randomUUID()}`;
      const entry = apiKeyEntry(key, { tenant: 'acme', scopes: 'a2a:message.send' });
      const closed = await runApp({ MCP: 'true', API_KEYS: entry, PUBLIC_URL: 'https://agents.example/parley/' });
      try {
        const at = Number(new URL(closed.url).port);
        const status = async (host: string): Promise<number> =>
          (
            await rawHttp(at, {
              path: '/mcp',
              headers: [
                ['Host', host],
                ['X-Api-Key', key],
              ],
              body: '{}',
            })
          ).status;
        expect(await status('agents.example')).not.toBe(403);
        expect(await status('evil.example')).toBe(403);
        const headers: readonly [string, string][] = [['Via', '1.1 proxy']];
        expect((await rawHttp(at, { method: 'GET', path: '/metrics', headers })).status).toBe(404);
      } finally {
        await closed.close();
      }
    });

    it('takes a body without a content type for JSON (A2A-RPC-01)', async () => {
      const key = `probe.${randomUUID()}`;
      const closed = await runApp({ API_KEYS: apiKeyEntry(key, { tenant: 'acme', scopes: 'a2a:message.send' }) });
      try {
        const headers = { 'x-api-key': key };
        const answer = await fetch(closed.url, { method: 'POST', headers, body: new Blob([rpc()]) });
        expect(await answer.text()).toContain('TASK_STATE_COMPLETED');
      } finally {
        await closed.close();
      }
    });
  });

  describe('GET /', () => {
    it('shows people a page', async () => {
      const answer = await fetch(running.url, { headers: { accept: 'text/html,application/xhtml+xml' } });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      const page = await answer.text();
      expect(page).toContain('<h1>Parley</h1>');
      expect(page).toContain('href="/.well-known/agent-card.json"');
    });

    it('gives programs links that lead somewhere', async () => {
      const answer = await fetch(running.url);
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
      const { name, links } = (await answer.json()) as { name: string; links: Record<string, string> };
      expect(name).toBe('Parley');
      const statuses = Object.values(links).map(async (path) => (await fetch(`${running.url}${path}`)).status);
      expect(await Promise.all(statuses)).toEqual(Object.keys(links).map(() => 200));
    });

    it('links below the path of PUBLIC_URL (B6)', async () => {
      const proxied = await runApp({ PUBLIC_URL: 'https://agents.example/parley/' });
      try {
        const card = '/parley/.well-known/agent-card.json';
        const answer = await fetch(proxied.url);
        expect(await answer.json()).toMatchObject({ links: { card, ready: '/parley/health/ready' } });
        const page = await fetch(proxied.url, { headers: { accept: 'text/html' } });
        expect(await page.text()).toContain(`href="${card}"`);
        const served = await fetch(`${proxied.url}/.well-known/agent-card.json`);
        for (const { headers } of [answer, page, served])
          expect(headers.get('link')).toContain('</parley/.well-known/ard.json>; rel="ard"');
      } finally {
        await proxied.close();
      }
    });

    it('is open where callers need credentials', async () => {
      const closed = await runApp({ API_KEYS: `probe:acme:probe:a2a:message.send:${'0'.repeat(64)}` });
      try {
        expect((await fetch(closed.url)).status).toBe(200);
        expect((await fetch(closed.url, { method: 'POST', body: rpc() })).status).toBe(401);
      } finally {
        await closed.close();
      }
    });
  });
});
