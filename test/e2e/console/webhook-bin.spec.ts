import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { BinContent } from '../../../src/admin/webhook-bins/webhook-bins.js';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { eventually } from '../../kit/run/eventually.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';

const ALICE = 'alice.secret-of-alice';
const BOB = 'bob.secret-of-bob';
const EVE = 'eve.secret-of-eve-in-another-tenant';
const PLAIN = 'plain.secret-of-one-without-the-playground';

describe('/console/api/bin', () => {
  let running: RunningApp;

  beforeAll(async () => {
    const scopes = 'a2a:message.send,a2a:tasks.read,a2a:push.write';
    running = await runApp({
      CONSOLE: 'on',
      DEFAULT_SKILL: 'echo',
      SECRET_KEYS: `k1:${Buffer.alloc(32, 'k').toString('base64')}`,
      API_KEYS: [
        ...[ALICE, BOB].map((key) => apiKeyEntry(key, { tenant: 'acme', scopes: `${scopes},a2a:agents.try` })),
        apiKeyEntry(EVE, { tenant: 'other', scopes: `${scopes},a2a:agents.try` }),
        apiKeyEntry(PLAIN, { tenant: 'acme', scopes }),
      ].join('\n'),
    });
  });
  afterAll(() => running.close());

  const bin = async (key: string, method: 'GET' | 'POST', query = '') => {
    const response = await fetch(`${running.url}/console/api/bin${query}`, { method, headers: { 'x-api-key': key } });
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    return { status: response.status, body: (await response.json()) as any };
  };
  const send = async (key: string, url: string) => {
    const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'Hello' }] };
    const configuration = { taskPushNotificationConfig: { id: 'bin', url, token: 'the-token' } };
    const response = await fetch(running.url, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json', 'a2a-version': '1.0' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message, configuration } }),
    });
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    return (await response.json()) as any;
  };

  it('receives what the webhooks of its caller deliver, and nobody else reads it', async () => {
    const { url, expiresAt } = (await bin(ALICE, 'POST')).body as BinContent;
    expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(3_500_000);
    const { id } = (await send(ALICE, url)).result.task;
    const { deliveries } = await eventually(async () => {
      const { body } = await bin(ALICE, 'GET');
      expect(body.deliveries.at(-1)?.body).toContain('TASK_STATE_COMPLETED');
      return body as BinContent;
    });
    expect(deliveries.map(({ seq }) => seq)).toEqual(deliveries.map((_one, at) => at + 1));
    for (const one of deliveries) expect(one).toMatchObject({ taskId: id, isSigned: true, attempt: 1 });
    expect(JSON.stringify(deliveries)).not.toContain('the-token');
    expect((await bin(ALICE, 'GET', `?after=${String(deliveries.at(-1)?.no)}`)).body.deliveries).toEqual([]);
    expect((await bin(ALICE, 'GET', '?after=-1')).status).toBe(400);

    // Without a bin of their own, and with one: the same refusal, and nothing to read.
    const before = (await send(BOB, url)).error;
    expect(before).toMatchObject({ code: -32602 });
    expect((await bin(BOB, 'GET')).status).toBe(404);
    for (const key of [BOB, EVE]) {
      expect((await bin(key, 'POST')).body.url).not.toBe(url);
      expect((await send(key, url)).error.data).toEqual(before.data);
      expect((await bin(key, 'GET')).body.deliveries).toEqual([]);
    }
  });

  it('is opened by no caller without the right to the playground', async () => {
    expect((await bin(PLAIN, 'POST')).status).toBe(403);
    expect((await bin(PLAIN, 'GET')).status).toBe(403);
    expect((await send(PLAIN, 'https://bin.parley.invalid/00000000000000000000000000000000')).error.code).toBe(-32602);
  });
});
