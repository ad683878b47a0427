import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freeLoopbackPort } from '../platform/redis/embedded/free-port.js';
import { faultAnswer } from '../main/app.faults.js';
import { StartupProbe } from './startup-probe.js';

describe(StartupProbe, () => {
  let probe: StartupProbe;
  let url: string;

  beforeAll(async () => {
    const port = await freeLoopbackPort();
    probe = new StartupProbe('127.0.0.1', port, faultAnswer);
    probe.report('Redis reads its data');
    url = `http://127.0.0.1:${String(port)}`;
  });

  afterAll(() => probe.close());

  const ask = async (method: string, path: string, headers: Record<string, string> = {}) => {
    const sent = { method, headers: { 'content-type': 'application/json', ...headers } };
    const response = await fetch(`${url}${path}`, method === 'GET' ? sent : { ...sent, body: '{"jsonrpc":"2.0"}' });
    const body = (await response.json()) as Record<string, unknown>;
    return { status: response.status, again: response.headers.get('retry-after'), body };
  };

  const said = expect.stringContaining('The service is starting: Redis reads its data');
  const rpc = { jsonrpc: '2.0', id: null, error: expect.objectContaining({ message: said }) };
  const rest = { error: expect.objectContaining({ code: 503, status: 'UNAVAILABLE', message: said }) };

  it.each([
    ['POST', '/', { 'a2a-version': '1.0' }, rpc],
    ['POST', '/', { 'a2a-version': '0.3' }, rpc],
    ['POST', '/subscribe', {}, rpc],
    ['POST', '/message:send', { 'a2a-version': '1.0' }, rest],
    ['GET', '/tasks/x', { 'a2a-version': '1.0' }, rest],
    ['POST', '/mcp', {}, { jsonrpc: '2.0', error: expect.objectContaining({ message: said }) }],
    ['POST', '/run', {}, expect.objectContaining({})],
    ['POST', '/v1/message:send', {}, expect.objectContaining({})],
    ['GET', '/registry/entries', {}, { message: said }],
  ])(
    'answers %s %s by the error of its binding, while the service starts (L3)',
    async (method, path, headers, form) => {
      const answer = await ask(method, path, headers);
      expect(answer).toMatchObject({ again: '5', body: form });
      expect(JSON.stringify(answer.body)).toContain('Redis reads its data');
      expect(answer.body).not.toHaveProperty('details.redis');
    },
  );

  it('is live, and not ready', async () => {
    expect(await ask('GET', '/health/live')).toMatchObject({ status: 200, body: { status: 'ok' } });
    const details = { redis: { stage: 'starting', message: 'Redis reads its data' } };
    expect(await ask('GET', '/health/ready')).toMatchObject({ status: 503, body: { details } });
  });
});
