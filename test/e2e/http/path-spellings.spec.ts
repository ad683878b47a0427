import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RequestMethod, type Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { Callbacks } from '../../../src/remote-agents/callback/callbacks.js';
import { MirrorStore } from '../../../src/tasks/tree/mirror.store.js';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { rawHttp, type RawAnswer, type RawRequest } from '../../kit/auth/raw-http.js';
import { routesOf } from '../../kit/checks/controller-routes.js';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';
import { MCP_SKILLS } from '../mcp/skills.js';

const TASK = '0197a3c5-0000-7000-8000-000000000001';

/** A path and spellings of it that RFC 3986 §6.2.2 and RFC 9112 §3.2.2 take for the same. */
function sameAs(path: string, port: number): readonly string[] {
  const segments = path.split('/');
  const encoded = (letter: string): string => `%${letter.charCodeAt(0).toString(16)}`;
  const eachSegment = segments.flatMap((segment, at) =>
    /[a-z]/i.test(segment)
      ? [segment.replace(/[a-z]/i, encoded), segment.replace(/[\w.-]/g, encoded).toUpperCase()].map((it) =>
          segments.with(at, it).join('/'),
        )
      : [],
  );
  return [...eachSegment, `http://localhost:${String(port)}${path}`, `HTTP://LOCALHOST${path}`];
}

/** Spellings of other paths, which a lenient reader might take for this one. */
const unlike = (path: string): readonly string[] => [
  `/${path}`,
  `/.${path}`,
  `/x/..${path}`,
  `/%2e%2e${path}`,
  `${path}#x`,
  `${path}%23x`,
  `${path};x`,
  `${path}/`,
  `${path}%2f`,
  `${path}%00`,
  path.replace(/\/([a-z])/, (_all, letter: string) => `/${letter.toUpperCase()}`),
  path.replace(/\/([a-z])/, (_all, letter: string) => `/%25${letter.charCodeAt(0).toString(16)}`),
];

describe('every route, in other spellings of its path (A4, B11)', () => {
  let running: RunningApp;
  let port: number;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'parley-paths-'));
    const file = join(folder, 'agents.json');
    writeFileSync(file, JSON.stringify({ other: { card: 'http://127.0.0.1:9' } }));
    running = await runApp(
      {
        ...{ AGENTS_FILE: file, EGRESS_ALLOW: '127.0.0.1:9=127.0.0.1/32!http', PUBLIC_URL: 'https://agent.example' },
        ...{
          MCP: 'true',
          REGISTRY: 'true',
          CONSOLE: 'on',
          RATE_FAILURE: '100000/100000',
          RATE_ADDRESS: '1000000/1000000',
        },
        SECRET_KEYS: `k1:${Buffer.alloc(32, 'k').toString('base64')}`,
        API_KEYS: apiKeyEntry('probe.secret', { tenant: 'acme', scopes: 'a2a:tasks.read' }),
      },
      { skills: MCP_SKILLS },
    );
    port = Number(new URL(running.url).port);
  });

  afterAll(async () => {
    await running.close();
    rmSync(folder, { recursive: true });
  });

  /** Method and a path of each route, REST paths and MCP's preflight added to what the controllers declare. */
  function targets(): readonly (readonly [method: string, path: string])[] {
    const modules = [...running.app.get(ModulesContainer).values()];
    const controllers = new Set(modules.flatMap((it) => [...it.controllers.values()].map(({ metatype }) => metatype)));
    const declared = routesOf([...controllers] as Type[]).map(({ method, path }) => {
      const filled = path.replace(/:\w+/g, TASK).replace('*', 'x');
      return [method === RequestMethod.ALL ? 'GET' : RequestMethod[method], filled] as const;
    });
    const rest = [
      ['POST', '/message:send'],
      ['GET', '/tasks'],
      ['GET', `/v1/tasks/${TASK}`],
      ['POST', `/tasks/${TASK}:cancel`],
      ['OPTIONS', '/mcp'],
      ['PUT', '/mcp'],
      ['POST', '/health/live'],
      ['POST', '/console'],
    ] as const;
    return [...declared, ...rest];
  }

  /** The decisions of guards, and the shape of the refusal. */
  const verdict = ({ status, headers }: RawAnswer): object => ({
    status,
    challenge: headers['www-authenticate'],
    type: headers['content-type'],
    allow: headers.allow,
    origin: headers['access-control-allow-origin'],
  });

  const CALLERS: Readonly<Record<string, RawRequest['headers']>> = {
    'a stranger': [],
    'a caller without the right': [['X-API-Key', 'probe.secret']],
    'a web page of another origin': [
      ['X-API-Key', 'probe.secret'],
      ['Origin', 'https://evil.example'],
    ],
  };

  it.each(Object.entries(CALLERS))('decide alike for %s', async (_name, headers = []) => {
    const differences: object[] = [];
    const all = targets();
    expect(all.length).toBeGreaterThan(70);
    // Streams stay open for their callers.
    const closed = all.filter(
      ([method, path]) => headers.length === 0 || !(method === 'GET' && /feed|events|mcp/.test(path)),
    );
    for (const [method, path] of closed) {
      const ask = async (spelling: string): Promise<object> =>
        verdict(await rawHttp(port, { method, path: spelling, headers }));
      const plain = await ask(path);
      for (const spelling of sameAs(path, port)) {
        const other = await ask(spelling);
        if (JSON.stringify(other) !== JSON.stringify(plain)) differences.push({ method, path, spelling, plain, other });
      }
    }
    expect(differences).toEqual([]);
  });

  it('let no stranger in by the path of another route', async () => {
    const open: object[] = [];
    for (const [method, path] of targets()) {
      const { status: plain } = await rawHttp(port, { method, path });
      if (plain !== 401 && plain !== 403) continue;
      for (const spelling of unlike(path)) {
        const { status } = await rawHttp(port, { method, path: spelling });
        if (![400, 401, 403, 404, 405].includes(status)) open.push({ method, spelling, status });
      }
    }
    expect(open).toEqual([]);
  });

  it('take a callback with the token of its task only', async () => {
    const genuine = running.app.get(Callbacks, { strict: false });
    const { token = '' } = genuine.webhookOf(TASK);
    let hints = 0;
    const mirrors = running.app.get(MirrorStore, { strict: false });
    Object.assign(mirrors, { hint: () => Promise.resolve((hints++, 'known')) });
    const path = `/callbacks/${TASK}`;
    for (const spelling of [path, ...sameAs(path, port), ...unlike(path)]) {
      const headers = [['Authorization', 'Bearer forged']] as const;
      expect([401, 404]).toContain((await rawHttp(port, { path: spelling, headers })).status);
    }
    expect(hints).toBe(0);
    for (const spelling of [path, ...sameAs(path, port)]) {
      const headers = [['Authorization', `Bearer ${token}`]] as const;
      expect({ spelling, status: (await rawHttp(port, { path: spelling, headers })).status }).toEqual({
        spelling,
        status: 202,
      });
    }
  });

  it('read no body of a stranger on paths that strangers may read', async () => {
    for (const path of ['/health/live', '/console', '/.well-known/agent-card.json', '/metrics']) {
      expect((await rawHttp(port, { path, body: '{}' })).status).toBe(401);
    }
  });
});

describe('an absolute form in the open start (B11)', () => {
  it('names the host of the request, whatever the header says (RFC 9112 §3.2.2)', async () => {
    const running = await runApp();
    try {
      const port = Number(new URL(running.url).port);
      const status = async (path: string): Promise<number> => (await rawHttp(port, { method: 'GET', path })).status;
      expect(await status('http://localhost/tasks')).toBe(200);
      expect(await status('http://localhost')).toBe(200);
      expect(await status('http://evil.example/tasks')).toBe(403);
    } finally {
      await running.close();
    }
  });
});
