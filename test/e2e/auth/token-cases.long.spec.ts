import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type IncomingHttpHeaders } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { SERVICE_V1 } from '../../../src/http/grpc/schema/schema.js';
import { isOperationName, type OperationName, STREAMS } from '@parley/protocol/model/operations.js';
import { rawHttp } from '../../kit/auth/raw-http.js';
import { AUDIENCE, TestIssuer } from '../../kit/auth/test-issuer.js';
import { BAD_KEYS, type Expected, type Presented, TOKEN_CASES } from '../../kit/auth/token-cases.js';
import { EVERY_WAY, type HttpCall, type Subject, WAYS_V1 } from '../../kit/callers/every-way.js';
import { type WireAnswer, WireClient } from '../../kit/callers/wire-client.js';
import { storedKeys } from '../../kit/redis/redis-keys.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';

// Processes start and keys are made: slow where many tests share a machine.
jest.setTimeout(60_000);

const OPERATIONS = Object.keys(STREAMS).filter(isOperationName);
const PLENTY = '100000000/100000000';
const SUBJECT: Subject = { taskId: '00000000-0000-4000-8000-000000000000', configId: 'none', messageId: 'm' };

const GRPC_STATUS: Readonly<Record<Expected['status'], string>> = {
  200: 'OK',
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  431: 'RESOURCE_EXHAUSTED',
};

let issuer: TestIssuer;
let running: RunningApp;
let client: WireClient;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parley-audit-'));
  issuer = await TestIssuer.start();
  await issuer.publish([...Object.values(issuer.keys), ...Object.values(BAD_KEYS)]);
  running = await runApp({
    ...{ JWT_ISSUER: issuer.url, JWT_AUDIENCE: AUDIENCE, JWT_TENANT: 'acme', GRPC_PORT: '0' },
    ...{ RATE_FAILURE: PLENTY, RATE_ADDRESS: PLENTY, RATE_READ: PLENTY, RATE_WRITE: PLENTY },
    AUDIT_LOG: join(folder, 'audit.log'),
  });
  client = new WireClient(running.url, running.grpc ?? '');
});

afterAll(async () => {
  client.close();
  await issuer.stop();
  await running.close();
  rmSync(folder, { recursive: true });
});

async function overHttp(call: HttpCall, { authorization, query, formBody }: Presented): Promise<WireAnswer> {
  const joint = call.path.includes('?') ? '&' : '?';
  const { status, headers, body } = await rawHttp(Number(new URL(running.url).port), {
    method: call.method,
    path: query === undefined ? call.path : `${call.path}${joint}${query}`,
    headers: [
      ...authorization.map((value) => ['Authorization', value] as const),
      ['A2A-Version', call.version ?? '0.3'],
      ['Content-Type', formBody === undefined ? 'application/json' : 'application/x-www-form-urlencoded'],
    ],
    body: formBody ?? call.body ?? '',
  });
  const [challenge = ''] = headers['www-authenticate'] ?? [];
  return { status, headers: { 'www-authenticate': challenge }, body };
}

/** Headers that no gRPC client can send, or that only HTTP/1.1 has a meaning for. */
function isForGrpc({ authorization, query, formBody }: Presented): boolean {
  const [value = ''] = authorization;
  return authorization.length < 2 && query === undefined && formBody === undefined && /^[ -~]{0,16000}$/.test(value);
}

async function answersTo(operation: OperationName, presented: Presented): Promise<readonly WireAnswer[]> {
  const answers = WAYS_V1.map(async ({ calls }) => {
    const call = calls[operation]?.(SUBJECT);
    if (call === undefined) throw new Error(`1.0 has no ${operation}`);
    if ('http' in call) return [await overHttp(call.http, presented)];
    if (!isForGrpc(presented)) return [];
    const [authorization] = presented.authorization;
    return [await client.call(call, authorization === undefined ? {} : { authorization })];
  });
  return (await Promise.all(answers)).flat();
}

/** The caller was let in: it is told of the task that is not there, or gets its list or card. */
function expectAccepted({ status, headers, body }: WireAnswer): void {
  expect(headers['www-authenticate'] ?? '').toBe('');
  expect([200, 404, 'OK', 'NOT_FOUND']).toContain(status);
  expect(body).toMatch(/Task not found|"tasks"|"skills"|^[A-Za-z0-9+/=]*$/);
}

function expectRefused({ status, headers, body }: WireAnswer, expected: Expected, presented: Presented): void {
  expect(status).toBe(typeof status === 'string' ? GRPC_STATUS[expected.status] : expected.status);
  for (const part of presented.authorization.flatMap((value) => value.split('.'))) {
    if (part.length > 20) expect(body).not.toContain(part.slice(0, 20));
  }
  if (expected.error === undefined) return;
  const challenge = headers['www-authenticate'] ?? '';
  expect(challenge).toMatch(/^Bearer realm="a2a"/);
  expect(/error="([^"]+)"/.exec(challenge)?.[1] ?? 'none').toBe(expected.error);
  expect(challenge).toContain('resource_metadata="https://agent.example/.well-known/oauth-protected-resource/a2a"');
}

describe('the service and every kind of token', () => {
  it.each(TOKEN_CASES)(
    'case $id: $name (A2A-AUTHN-02, A2A-AUTHN-03, SEED-23, SEED-42, TCK-08)',
    async ({ present, expected }) => {
      const tries = OPERATIONS.map(async (operation) => {
        const presented = present(issuer, operation);
        return { presented, answers: await answersTo(operation, presented) };
      });
      for (const { presented, answers } of await Promise.all(tries)) {
        for (const answer of answers) {
          if (expected.status === 200) expectAccepted(answer);
          else expectRefused(answer, expected, presented);
        }
      }
    },
  );

  it('keeps strangers out in every dialect', async () => {
    for (const { calls } of EVERY_WAY) {
      for (const call of Object.values(calls)) {
        const { status, headers } = await client.call(call(SUBJECT));
        expect([401, 'UNAUTHENTICATED']).toContain(status);
        expect(headers['www-authenticate']).toMatch(/^Bearer realm="a2a"/);
      }
    }
  });

  it('keeps strangers out on gRPC before their message has come, and bounds what one connection may ask', async () => {
    const session = connect(`http://${running.grpc ?? ''}`);
    try {
      await once(session, 'remoteSettings');
      expect(session.remoteSettings.maxConcurrentStreams).toBe(200);
      const path = `/${SERVICE_V1.typeName}/SendMessage`;
      const call = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc' });
      const [answer] = (await once(call, 'response')) as [IncomingHttpHeaders];
      expect(answer).toMatchObject({ 'grpc-status': '16', 'www-authenticate': expect.stringMatching(/^Bearer/) });
      call.close();
    } finally {
      session.destroy();
    }
  });

  it('stores nothing for those who are refused, and writes nothing of their tokens down (A2A-SEC-07)', async () => {
    // Rates count the refused, and idle workers are there without any caller.
    const stored = (await storedKeys(running.keyPrefix)).filter(
      (key) => !key.includes(':rate:') && !key.endsWith(':idle'),
    );
    expect(stored).toEqual([]);
    const log = readFileSync(join(folder, 'audit.log'), 'utf8');
    expect(log.split('\n').length).toBeGreaterThan(1_000);
    expect(log).not.toMatch(/eyJ/);
    for (const line of log.trimEnd().split('\n')) expect(JSON.parse(line)).toHaveProperty('requestId');
  });

  it('writes down who did what to which task, also where the message has begun it (A2A-SEC-06)', async () => {
    const message = { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'x' }], metadata: { skillId: 'echo' } };
    const body = JSON.stringify({ message });
    const call: HttpCall = { method: 'POST', path: '/message:send', version: '1.0', body };
    const token = issuer.token({ scope: 'a2a:message.send' });
    const answer = await client.call({ http: call }, { authorization: `Bearer ${token}` });
    const { task } = JSON.parse(answer.body) as { task: { id: string } };
    const lines = readFileSync(join(folder, 'audit.log'), 'utf8').trimEnd().split('\n');
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
      ...{ log: 'audit', tenant: 'acme', client: 'billing', method: 'token', address: '127.0.0.1' },
      ...{ operation: 'SendMessage', taskId: task.id, result: 'done' },
    });
  });
});
