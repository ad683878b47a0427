import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { checkThrough } from '../../../src/cli/ops/doctor/through-check.js';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { Gateway, type Faults } from '../../kit/gateway/gateway.js';
import { REWRITERS } from '../../kit/gateway/rewriter.js';
import { freeLoopbackPort } from '../../../src/platform/redis/embedded/free-port.js';

const KEY = 'probe.secret';
const SCOPES = 'a2a:tasks.read a2a:message.send a2a:card.extended';

let running: RunningApp;
/** Listed with its own address, and with one of a route. */
let gateway: Gateway;
let faults: Faults = {};
let foreign: Gateway;

async function illAt(through: string, given: Faults, hasCredential = true): Promise<readonly string[]> {
  faults = given;
  const credential = hasCredential ? { 'x-api-key': KEY } : undefined;
  const found = await checkThrough({ through, direct: running.url, credential, seconds: 2, timeoutMs: 60_000 });
  return found.filter(({ severity }) => severity !== 'ok').map(({ text, fix = '' }) => `${text}: ${fix}`);
}

describe(checkThrough.name, () => {
  beforeAll(async () => {
    const port = await freeLoopbackPort();
    const direct = `http://127.0.0.1:${String(port)}`;
    gateway = await Gateway.before(direct, () => faults);
    foreign = await Gateway.before(direct, () => faults);
    running = await runApp({
      ...{
        PORT: String(port),
        PUBLIC_URL: `${direct} ${gateway.url} ${gateway.url}/support`,
        INGRESS_NETWORKS: '127.0.0.0/8',
      },
      API_KEYS: apiKeyEntry(KEY, { tenant: 'acme', scopes: SCOPES }),
      ...{ JWT_ISSUER: 'https://issuer.example', RATE_FAILURE: '1000/1000' },
    });
  }, 120_000);

  afterEach(() => {
    faults = {};
  });

  afterAll(async () => {
    await Promise.all([gateway.close(), foreign.close()]);
    await running.close();
  });

  it.each([
    ['a proxy that passes its host on', '', { forwards: true }],
    ['a route with a prefix, which is said', '/support', { forwards: true, prefix: '/support' }],
    ['a gateway that replaces hosts (agw-host)', '', { rewrites: REWRITERS['agw-host'] }],
    ['a gateway that puts its route before (kong)', '/support', { rewrites: REWRITERS.kong, prefix: '/support' }],
  ] as [string, string, Faults][])('finds nothing at %s (FITS-05, FITS-06)', async (_name, path, given) => {
    expect(await illAt(`${gateway.url}${path}`, given)).toEqual([]);
  });

  it.each([
    [
      'agw-host at an address that is not listed',
      { rewrites: REWRITERS['agw-host'] },
      /No signature of the card holds.*Add http.* to PUBLIC_URL/,
    ],
    [
      'agw-3500',
      { rewrites: REWRITERS['agw-3500'], forwards: true },
      /not below.*path is doubled \(agentgateway 3500\)/,
    ],
    ['verbatim', { rewrites: REWRITERS.verbatim }, /callers come by.*X-Forwarded-Host/],
    [
      'a rule that no gateway is known for',
      { rewrites: (card) => ({ ...card, description: 'Ours', skills: [] }) },
      /changes of the card: description, skills: No rule of a known gateway/,
    ],
    [
      'signatures dropped',
      { rewrites: ({ signatures: _all, ...card }) => REWRITERS['agw-host']!(card as never, foreign.url) },
      /drops the signatures/,
    ],
    [
      'streams held back',
      { buffers: true },
      /first event of a stream came after \d+ ms, together with the last.*buffering off/,
    ],
    ['answers cut', { cutsAfterMs: 700 }, /stream of 2 s was cut after .*heartbeats/],
    ['answers unpacked that say gzip', { gunzips: true }, /No card at .*encoding/],
    [
      'a page for the card',
      { pagesAt: /agent-card/ },
      /No card at .*status 200 with HTML: The gateway answers with a page/,
    ],
    ['a page for calls', { pagesAt: /^\/a2a\/tasks\// }, /HTTP\+JSON gives another answer.*status 200 with HTML/],
    ['a page for callbacks', { pagesAt: /callbacks/ }, /POST .*\/callbacks\/ has status 200 with HTML/],
    ['a page for the metadata', { pagesAt: /oauth-protected-resource/ }, /The challenge leads to/],
    ['the version dropped', { drops: ['a2a-version'] }, /request header A2A-Version is dropped/],
    ['the tag dropped', { drops: ['etag'] }, /Headers of the card are dropped: etag/],
    ['challenges dropped', { drops: ['www-authenticate'] }, /WWW-Authenticate of a refusal is dropped/],
    ['credentials dropped', { drops: ['x-api-key'] }, /credential does not get through on HTTP\+JSON/],
  ] as [string, Faults, RegExp][])('names %s with its repair (FITS-05)', async (name, given, text) => {
    const through = /listed|verbatim|no gateway|signatures/.test(name) ? foreign.url : gateway.url;
    const forwards = through === gateway.url && given.rewrites === undefined;
    // Only these need a task of the service.
    const hasCredential = /streams|cut|calls|credentials/.test(name);
    const ill = await illAt(through, { forwards, ...given }, hasCredential);
    expect(ill.join('\n')).toMatch(text);
  });

  it('says what is missing where nobody answers (FITS-05)', async () => {
    const nobody = `http://127.0.0.1:${String(await freeLoopbackPort())}`;
    expect(await illAt(nobody, {})).toEqual([expect.stringContaining(`No card at ${nobody}`)]);
  });
});
