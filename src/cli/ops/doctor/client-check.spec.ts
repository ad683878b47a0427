import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../../main/app.environment.js';
import type { Finding } from '../../../main/finding.js';
import { checkClients } from './client-check.js';

const CANARY = 'canary-4711-canary';
const aToken = (claims: object): string =>
  [{ alg: 'ES256' }, claims, CANARY].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');

describe(checkClients.name, () => {
  let folder: string;
  let server: Server;
  let given: unknown;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'clients-'));
    server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ access_token: given }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true });
  });

  async function findings(assertion: string): Promise<readonly Finding[]> {
    const host = `127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    const [file, agents] = [join(folder, 'token'), join(folder, 'agents.json')];
    writeFileSync(file, assertion);
    const auth = { type: 'oauth2', tokenUrl: `http://${host}/token`, clientId: 'parley', clientAssertionFile: file };
    writeFileSync(agents, JSON.stringify({ finance: { card: 'https://finance.example', auth } }));
    const variables = { AGENTS_FILE: agents, EGRESS_ALLOW: `${host}=127.0.0.1/32!http`, DATA_DIR: folder };
    return checkClients(loadConfig(variables, {}));
  }

  const inAnHour = Math.floor(Date.now() / 1000) + 3_600;

  it('prints audience, expiry and age of an assertion file, and nothing else of it (IDENT-02)', async () => {
    given = 'opaque';
    const found = await findings(aToken({ aud: 'https://login.example', exp: inAnHour, sub: CANARY }));
    expect(found.map(({ severity }) => severity)).toEqual(['ok', 'ok']);
    expect(found[0]?.text).toMatch(
      /^finance: .*token is for https:\/\/login.example, expires in \d+ min, and was written 0 min ago$/,
    );
    expect(JSON.stringify(found)).not.toContain(CANARY);
  });

  it.each([
    ['expired', aToken({ aud: 'a', exp: 1 }), 'it has expired'],
    ['empty', '', 'it is empty'],
  ])('warns of a file that is %s (IDENT-02)', async (_what, assertion, why) => {
    const found = await findings(assertion);
    expect(found.map(({ severity, text }) => [severity, text.includes(why)])).toEqual([
      ['warn', true],
      ['warn', true],
    ]);
  });

  it('reports files and tokens for more than one audience, or for none (IDENT-06)', async () => {
    given = aToken({ aud: ['finance', 'payroll'] });
    const found = await findings(aToken({ aud: ['a', 'b'], exp: inAnHour }));
    expect(found.map(({ severity }) => severity)).toEqual(['warn', 'warn']);
    expect(found[0]?.text).toContain('is for a, b');
    expect(found[1]?.text).toMatch(/gives tokens for finance, payroll$/);
    given = aToken({ aud: 'finance' });
    const [file, token] = await findings(aToken({ exp: inAnHour }));
    expect([file?.severity, token?.severity]).toEqual(['warn', 'ok']);
  });
});
