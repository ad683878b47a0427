import { describe, expect, it } from '@jest/globals';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { parley } from '../../../../test/kit/app/parley-command.js';
import { eventually } from '../../../../test/kit/run/eventually.js';

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const EVENT = JSON.stringify({ statusUpdate: { taskId: 't', status: { state: 'TASK_STATE_COMPLETED' } } });

/** Headers of a notification that is signed with a secret. */
function signed(secret: string, id = 'evt_1'): Record<string, string> {
  const at = new Date();
  const signature = new Webhook(secret).sign(id, at, EVENT);
  const timestamp = String(Math.floor(at.getTime() / 1000));
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
}

/** A receiver in this process: its output, and its address. */
function listening(...args: readonly string[]) {
  const printed = { out: '', err: '' };
  const ended = parley(['webhook', 'listen', '--port', '0', ...args], { printed });
  const url = eventually(() => {
    const [, found = ''] = /Listening: (\S+)/.exec(printed.err) ?? [];
    expect(found).not.toBe('');
    return found;
  });
  return { ended, url };
}

const send = async (url: string, headers: Record<string, string>): Promise<number> =>
  (await fetch(url, { method: 'POST', headers, body: EVENT })).status;

describe('parley webhook listen', () => {
  it('A2ACLI_PUSH_002: receives notifications, verifies token and signature, and shows them', async () => {
    const { ended, url } = listening('--token', 'tok', '--secret', SECRET, '--count', '4', '-o', 'json');
    const token = { 'x-a2a-notification-token': 'tok' };
    const address = await url;
    expect(await send(address, { ...token, ...signed(SECRET) })).toBe(200);
    expect(await send(address, { authorization: 'Bearer tok', ...signed(SECRET) })).toBe(200);
    expect(await send(address, signed(SECRET, 'evt_2'))).toBe(401);
    expect(await send(address, { ...token, ...signed(`${SECRET.slice(0, -4)}AAAA`, 'evt_3') })).toBe(401);
    const { out, code } = await ended;
    expect(code).toBe(0);
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ id, times, status }) => [id, times, status])).toEqual([
      ['evt_1', 1, 200],
      ['evt_1', 2, 200],
      ['evt_2', 1, 401],
      ['evt_3', 1, 401],
    ]);
    expect(lines[0]?.event).toEqual(JSON.parse(EVENT));
  });

  it('verifies the tokens of an agent by its keys (S4)', async () => {
    const { publicKey, privateKey } = await generateKeyPair('RS256');
    const jwks = createServer((_request, response) => {
      void exportJWK(publicKey).then((key) =>
        response.end(JSON.stringify({ keys: [{ ...key, kid: 'k', alg: 'RS256' }] })),
      );
    }).listen(0, '127.0.0.1');
    await once(jwks, 'listening');
    const { port } = jwks.address() as AddressInfo;
    const { ended, url } = listening('--jwks', `http://127.0.0.1:${String(port)}/`, '--count', '3', '-o', 'json');
    const signed = (digest: string): Promise<string> =>
      new SignJWT({ request_body_sha256: digest })
        .setProtectedHeader({ alg: 'RS256', kid: 'k' })
        .setIssuedAt()
        .sign(privateKey);
    const address = await url;
    const right = createHash('sha256').update(EVENT).digest('hex');
    expect(await send(address, { authorization: `Bearer ${await signed(right)}` })).toBe(200);
    expect(await send(address, { authorization: `Bearer ${await signed('00')}` })).toBe(401);
    expect(await send(address, {})).toBe(401);
    expect((await ended).code).toBe(0);
    jwks.close();
  });

  it('answers with the given status, to test retries, and proves an address by its challenge', async () => {
    const { ended, url } = listening('--fail-first', '1', '--retry-after', '3', '--count', '2');
    const address = await url;
    expect(await (await fetch(`${address}?validationToken=abc`)).text()).toBe('abc');
    expect(await send(address, {})).toBe(503);
    const answer = await fetch(address, { method: 'POST', body: 'hello' });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([200, '3']);
    const { out } = await ended;
    expect(out).toContain('Notification: status TASK_STATE_COMPLETED\n');
    expect(out).toContain('Notification: not JSON\n');
    expect(out).toContain('Answered: 503\n');
  });
});
