import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { aCaller, tenantVariables } from '../../kit/auth/tenants.js';
import { TestIssuer } from '../../kit/auth/test-issuer.js';
import { EVERY_WAY } from '../../kit/callers/every-way.js';
import { WireClient } from '../../kit/callers/wire-client.js';
import { readExposition } from '../../kit/checks/exposition.js';
import { RestClient } from '../../kit/callers/rest-client.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';

jest.setTimeout(60_000);

let issuer: TestIssuer;
let running: RunningApp;
let client: WireClient;

async function refusals(limit: string): Promise<number> {
  const metrics = await fetch(`${running.url}/metrics`);
  return readExposition(await metrics.text()).value('a2a_limit_hits_total', { limit });
}

describe('a client with as many unfinished tasks as it may have', () => {
  beforeAll(async () => {
    issuer = await TestIssuer.start();
    running = await runApp({ ...tenantVariables(issuer), QUOTA_LIVE_TASKS: '1' });
    client = new WireClient(running.url, running.grpc ?? '');
  });

  afterAll(async () => {
    client.close();
    await issuer.stop();
    await running.close();
  });

  it('is refused with Retry-After in every dialect, and may repeat and cancel what it began (A2A-SEC-05, SEED-25)', async () => {
    const { headers } = aCaller(issuer, 'acme', 'a');
    const rest = new RestClient(running.url, { 'a2a-version': '1.0', ...headers });
    const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: '60' }] };
    const first = {
      message: { ...message, metadata: { skillId: 'countdown' } },
      configuration: { returnImmediately: true },
    };
    const begun = await rest.call('POST', '/message:send', first);
    expect(begun.status).toBe(200);

    let refused = 0;
    for (const { calls } of EVERY_WAY) {
      const call = calls.SendMessage?.({ taskId: '', configId: '', messageId: randomUUID() });
      if (call === undefined) continue;
      const { status, headers: told, body } = await client.call(call, headers);
      refused += 1;
      expect([429, 'RESOURCE_EXHAUSTED']).toContain(status);
      expect(body).toContain('Too many unfinished tasks: at most 1 are allowed at once');
      expect(told).toMatchObject({ 'retry-after': '5', 'ratelimit-policy': '"unfinished-tasks";q=1' });
    }
    const params = { id: randomUUID(), message: { role: 'user', parts: [{ type: 'text', text: 'x' }] } };
    const old = await fetch(running.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tasks/send', params }),
    });
    expect([old.status, await old.json()]).toMatchObject([429, { error: { code: -32010 } }]);
    expect(await refusals('unfinished-tasks')).toBe(refused + 1);

    expect((await rest.call('POST', '/message:send', first)).body.task.id).toBe(begun.body.task.id);
    await rest.call('POST', `/tasks/${begun.body.task.id}:cancel`);
    const next = await rest.call('POST', '/message:send', { message: { ...message, messageId: randomUUID() } });
    expect(next.status).toBe(200);
  });
});
