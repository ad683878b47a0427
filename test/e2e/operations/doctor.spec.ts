import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { RedisServer } from '../../support/redis-server.js';

interface Finding {
  readonly severity: 'ok' | 'warn' | 'fail';
  readonly text: string;
  readonly mend?: string;
}

let redis: RedisServer;
let old: Server;
let findings: readonly Finding[];
let text: string;
let code: number | null;

/** Everything that can be wrong at the same time is: in variables, in Redis, at the issuer, and in what is deployed. */
beforeAll(async () => {
  redis = await RedisServer.start({ config: { 'maxmemory-policy': 'allkeys-lru', appendonly: 'no' } });
  const client = new Redis(redis.url);
  await client.set('parley:layout', '99');
  client.disconnect();
  old = createServer((_request, response) => response.end('{"version":"0.0.0","skills":[]}')).listen(0, '127.0.0.1');
  await once(old, 'listening');
  const variables = {
    ...{ ROLE: 'api', REDIS_URL: redis.url, PUBLIC_URL: 'http://agent.example.com', HOST: '0.0.0.0' },
    ...{ DEFAULT_SKILL: 'ehco', METRICS_PORT: '3000', DRAIN_MS: '3600000' },
    ...{ EGRESS_ALLOW: 'inside.example.com', SECRET_KEYS: 'k1:short', APPROVERS: 'ann' },
    ...{ JWT_ISSUER: 'https://127.0.0.1:1', JWT_AUDIENCE: 'parley' },
  };
  const url = `http://127.0.0.1:${String((old.address() as AddressInfo).port)}`;
  const json = await doctor(variables, '--json', 'doctor', '--url', url);
  ({ findings } = JSON.parse(json.text) as { findings: readonly Finding[] });
  ({ text, code } = await doctor(variables, 'doctor', '--url', url));
}, 60_000);

afterAll(async () => {
  old.close();
  await redis.stop();
});

function doctor(variables: Record<string, string>, ...args: string[]): Promise<{ text: string; code: number | null }> {
  const { PATH = '' } = process.env;
  const child = execFile(process.execPath, ['dist/cli/parley.js', ...args], { env: { PATH, ...variables } });
  let output = '';
  child.stdout?.on('data', (chunk: string) => (output += chunk));
  child.stderr?.on('data', (chunk: string) => (output += chunk));
  return new Promise((resolve) => child.once('close', (exit) => resolve({ text: output, code: exit })));
}

describe('parley doctor', () => {
  it.each([
    ['a default skill that is not there', 'fail', /^DEFAULT_SKILL is ehco, which is no skill/],
    ['metrics on the port of the service', 'fail', /^METRICS_PORT and PORT are both 3000/],
    ['tokens in the clear', 'warn', /^PUBLIC_URL is not https/],
    ['an endless drain', 'warn', /^DRAIN_MS is 3600000/],
    ['an allow-list that cannot be read', 'fail', /^EGRESS_ALLOW: /],
    ['sealing keys that cannot be used', 'fail', /^SECRET_KEYS: /],
    ['approvers without a login', 'fail', /^APPROVERS has no effect/],
    ['a Redis that may evict', 'fail', /^maxmemory-policy is allkeys-lru/],
    ['a Redis that forgets at a restart', 'warn', /^appendonly is off/],
    ['a Redis without a bound', 'warn', /^maxmemory is not set/],
    ['data of a newer release', 'fail', /^The data under KEY_PREFIX parley has layout 99/],
    ['an issuer that gives no keys', 'fail', /^The keys of https:\/\/127\.0\.0\.1:1 cannot be had/],
    ['a card of an older release', 'fail', /^The card is of version 0\.0\.0/],
    ['a card without the skills of this code', 'fail', /^The card lacks the skills/],
  ])('finds %s and says how to mend it', (_what, severity, pattern) => {
    const found = findings.filter((finding) => pattern.test(finding.text));
    expect(found).toMatchObject([{ severity, mend: expect.stringMatching(/\w{3}/) }]);
    expect(text).toContain(`- ${found[0]?.text ?? ''}.\n  ${found[0]?.mend ?? ''}.`);
  });

  it('ends with an exit code that says so, and shows no secret', () => {
    expect(code).toBe(1);
    expect(text).not.toContain('k1:short');
  });
});
