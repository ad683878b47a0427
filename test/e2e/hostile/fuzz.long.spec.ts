import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { Pool } from 'undici';
import { AUDIENCE, TestIssuer } from '../../kit/auth/test-issuer.js';
import { aCaller, tenantVariables } from '../../kit/auth/tenants.js';
import { type AnyCall, anyCall } from '../../kit/callers/any-call.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';

/** Requests at once, and how often: 20,000 in all, half of them by authenticated callers. */
const AT_ONCE = 25;
const ROUNDS = 400;

/** What broke something once. */
const FOUND: [AnyCall[]][] = [
  [
    [
      { method: 'GET', path: '/health/*x', headers: {} },
      { method: 'PUT', path: '/tasks/(/:a-:b', headers: {} },
    ],
  ],
];

jest.setTimeout(180_000);

let issuer: TestIssuer;

beforeAll(async () => {
  issuer = await TestIssuer.start();
});

afterAll(() => issuer.stop());

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

async function send(pool: Pool, { method, path, headers, body }: AnyCall): Promise<Answer> {
  const options = { method: method as 'GET', path, headers, headersTimeout: 10_000, bodyTimeout: 10_000 };
  const response = await pool.request({ ...options, ...(body === undefined ? {} : { body }) });
  const type = String(response.headers['content-type'] ?? '');
  return { status: response.statusCode, type, body: await response.body.text() };
}

/** What is wrong with an answer: a fault of ours, or one that is not in the words of the protocol. */
function faultOf({ status, type, body }: Answer): string | undefined {
  if (status < 200 || status >= 500) return 'status';
  if (/-32603|INTERNAL_ERROR|Internal error|node_modules|\.js:\d+|\n {4}at /.test(body)) return 'words';
  if (body !== '' && !/json|event-stream/.test(type)) return 'type';
  if (body !== '' && type.includes('json')) JSON.parse(body);
  return undefined;
}

async function fuzz(app: RunningApp, headers: Readonly<Record<string, string>>): Promise<void> {
  const pool = new Pool(app.url, { connections: AT_ONCE, pipelining: 1 });
  const some = fc.array(anyCall, { minLength: AT_ONCE, maxLength: AT_ONCE });
  const property = fc.asyncProperty(some, async (calls) => {
    const answers = calls.map((call) => send(pool, { ...call, headers: { ...call.headers, ...headers } }));
    const judged = (await Promise.all(answers)).map((answer, at) => ({
      fault: faultOf(answer),
      answer,
      call: calls[at],
    }));
    expect(judged.filter(({ fault }) => fault !== undefined)).toEqual([]);
  });
  try {
    await fc.assert(property, { numRuns: ROUNDS, endOnFailure: true, examples: FOUND });
  } finally {
    await pool.destroy();
  }
}

describe('20,000 requests of every wrong kind', () => {
  it('break nothing that is open to this machine', async () => {
    const app = await runApp({ BLOCKING_MS: '1000' });
    try {
      await fuzz(app, {});
      const task = await new RpcClient(app.url).task('SendMessage', aMessage('still here', { skillId: 'echo' }));
      expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    } finally {
      await app.close();
    }
  });

  it('break nothing for authenticated callers', async () => {
    const app = await runApp({ ...tenantVariables(issuer), JWT_AUDIENCE: AUDIENCE, BLOCKING_MS: '1000' });
    try {
      const { headers } = aCaller(issuer, 'acme', 'a');
      await fuzz(app, headers);
      const params = aMessage('still here', { skillId: 'echo' });
      const answer = await new RpcClient(app.url).post(
        { jsonrpc: '2.0', id: 1, method: 'SendMessage', params },
        headers,
      );
      expect(await answer.json()).toMatchObject({ result: { task: { status: { state: 'TASK_STATE_COMPLETED' } } } });
    } finally {
      await app.close();
    }
  });
});
