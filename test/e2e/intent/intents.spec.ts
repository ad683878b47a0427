import { randomUUID } from 'node:crypto';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { REGISTRY_SCOPES } from '../../../src/registry/registry.scopes.js';
import type { AgentCard } from '@parley/protocol/model/agent-card.js';
import { INTENTS_EXTENSION } from '../../../src/operations/intents/intents-extension.js';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { eventually } from '../../kit/run/eventually.js';
import { RestClient } from '../../kit/callers/rest-client.js';
import { RpcClient } from '../../kit/callers/rpc-client.js';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';
import { fitting, mutationsOf } from '../../kit/hostile/schema-samples.js';
import { DELEGATION_SKILLS, SEED_SKILLS } from '../../kit/skills/seed-skills.js';

/** The request of seed 2 § 6.2, as printed. */
const SEED_RPC = {
  jsonrpc: '2.0',
  method: 'summarize_text',
  params: {
    inputs: { text: 'ADKシステムはAgentが効率的にタスクを委譲できるようにします...' },
    memory: { 'summary.length': 'short' },
    context: {
      caller: 'agent:research_planner',
      timestamp: '2025-07-04T11:00:00Z',
      request_id: 'request-982731',
      trace_id: 'trace-3fb2b1',
    },
  },
  id: 'request-982731',
};
/** The body of the HTTP request of the same section. */
const SEED_RUN = {
  intent: 'analyze_sentiment',
  inputs: { review: 'I absolutely loved the performance and story arc!' },
  memory: {},
  context: { user_id: 'user_456', timestamp: '2025-07-04T10:02:00Z' },
};

const PLANNER = { 'x-api-key': 'planner.secret' };
const READER = { 'x-api-key': 'reader.secret' };
const ALL = 'a2a:message.send a2a:tasks.read a2a:tasks.cancel';

let running: RunningApp;
let rpc: RpcClient;
let rest: RestClient;

const run = (body: unknown, headers: Record<string, string> = {}): ReturnType<RestClient['call']> =>
  rest.call('POST', '/run', body, { 'content-type': 'application/json', ...headers });

const ending = (how: string, context: object = {}): object => ({ intent: 'ending', inputs: { how }, context });

async function tasks(): Promise<number> {
  const { result } = await rpc.call('ListTasks', {});
  return Number(result?.totalSize);
}

/** The delegation packet of seed 2 § 7.4, as printed. */
const SEED_PACKET = {
  delegated_intent: 'fetch_invoice',
  context: { invoice_id: 'INV-7789', user_id: 'U-103' },
  success_conditions: ['invoice_retrieved'],
  fallback: 'notify_accounting_failure',
};

describe('intents', () => {
  beforeAll(async () => {
    const keys = [
      apiKeyEntry('planner.secret', { tenant: 'acme', client: 'research_planner', scopes: ALL }),
      apiKeyEntry('reader.secret', { tenant: 'acme', client: 'reader', scopes: 'a2a:tasks.read' }),
      ...Object.values(REGISTRY_SCOPES).map((scopes) =>
        apiKeyEntry(`${scopes.split('.')[1] ?? ''}.secret`, {
          tenant: 'acme',
          client: scopes.replace(/\W/g, '-'),
          scopes,
        }),
      ),
    ];
    running = await runApp(
      { API_KEYS: keys.join(';'), BLOCKING_MS: '1500', DEFAULT_SKILL: 'untyped', REGISTRY: 'true' },
      { skills: [...SEED_SKILLS, ...DELEGATION_SKILLS] },
    );
    rpc = new RpcClient(running.url, PLANNER);
    rest = new RestClient(running.url, PLANNER);
  });

  afterAll(async () => {
    await running.close();
  });

  describe('intents on JSON-RPC', () => {
    it("answers the article's request with the result of the skill (O-01, SEED-30)", async () => {
      const response = await rpc.post(SEED_RPC, { 'a2a-version': '' });
      expect(await response.json()).toEqual({
        jsonrpc: '2.0',
        result: { summary: 'ADKシステムはAgentが効率的にタスクを委譲できるようにします......' },
        id: 'request-982731',
      });
    });

    it("refuses a missing field in the article's words, before any task exists (SEED-31, SEED-33)", async () => {
      const before = await tasks();
      const response = await rpc.post({ ...SEED_RPC, params: { inputs: { length: 'short' } } });
      const { error, id } = (await response.json()) as { error: object; id: string };
      expect([response.status, id]).toEqual([200, 'request-982731']);
      expect(error).toMatchObject({
        code: -32602,
        message: "Missing required field 'text' in inputs.",
        data: { retryable: false, violations: [{ field: 'inputs.text' }] },
      });
      expect(await tasks()).toBe(before);
    });

    it('answers -32601 for what is no intent, and for a skill without a contract (SEED-31, O-01)', async () => {
      expect((await rpc.call('untyped', { inputs: {} })).error?.code).toBe(-32601);
      expect((await rpc.call('summarise_text', { inputs: {} })).error?.code).toBe(-32601);
    });

    it('refuses a batch and a call without id', async () => {
      expect(await (await rpc.post([SEED_RPC])).json()).toMatchObject({ error: { code: -32600 } });
      const { id: _none, ...notification } = SEED_RPC;
      expect(await (await rpc.post(notification)).json()).toMatchObject({ error: { code: -32600 } });
    });

    it('says whether to try again, and which task it is about (O-06)', async () => {
      const context = { request_id: randomUUID() };
      const { error } = await rpc.call('ending', { inputs: { how: 'wait' }, context });
      expect(error).toMatchObject({
        code: -32050,
        data: { retryable: true, retryAfterMs: 1000, reason: 'TaskRunning' },
      });
      const asked = await rpc.call('ending', { inputs: { how: 'ask' } });
      expect(asked.error).toMatchObject({
        code: -32051,
        message: 'How many days?',
        data: { retryable: false, taskId: expect.any(String), question: [{ text: 'How many days?' }] },
      });
      const failed = await rpc.call('ending', { inputs: { how: 'fail' } });
      expect(failed.error).toMatchObject({
        code: -32052,
        message: 'The source is closed.',
        data: { retryable: false },
      });
    });
  });

  describe('POST /run', () => {
    it("answers the article's request with the result and nothing around it (O-02, SEED-32)", async () => {
      const { status, body, headers } = await run(SEED_RUN);
      expect([status, body]).toEqual([200, { sentiment: 'positive' }]);
      const task = await rest.call('GET', `/tasks/${String(headers.get('parley-task-id'))}`);
      expect(task.body).toMatchObject({
        status: { state: 'TASK_STATE_COMPLETED' },
        artifacts: [{ artifactId: 'sentiment' }],
      });
    });

    it("refuses a missing field in the article's words (SEED-33)", async () => {
      const before = await tasks();
      const { status, body } = await run({ intent: 'summarize_text', inputs: { length: 'short' } });
      expect(status).toBe(400);
      expect(body.error).toMatchObject({ code: 400, message: "Missing required field: 'text'" });
      expect(body.error.data).toMatchObject({ retryable: false, violations: [{ field: 'inputs.text' }] });
      expect(await tasks()).toBe(before);
    });

    it.each([
      ['an undeclared field', { intent: 'do_something', data: 'handle it' }, 400, "Unknown field: 'data'", 'data'],
      [
        'an undeclared input',
        { intent: 'analyze_sentiment', inputs: { review: 'x', tone: 1 } },
        400,
        "Unknown field: 'tone'",
        'inputs.tone',
      ],
      [
        'a forged time',
        { ...SEED_RUN, context: { timestamp: 'now' } },
        400,
        "Invalid field: 'timestamp' must be an RFC 3339 time, as 2025-07-04T11:00:00Z",
        'context.timestamp',
      ],
      ['no intent', {}, 400, "Missing required field: 'intent'", 'intent'],
    ])('refuses %s with its path (O-08)', async (_what, sent, status, message, field) => {
      const answer = await run(sent);
      expect([answer.status, answer.body.error.message]).toEqual([status, message]);
      expect(answer.body.error.data.violations).toMatchObject([{ field }]);
    });

    it('answers 202 with the task when the time is over, and the task goes on (O-02)', async () => {
      const { status, body, headers } = await run(ending('wait'));
      expect([status, body]).toEqual([202, { taskId: expect.any(String), status: 'TASK_STATE_WORKING' }]);
      expect(headers.get('location')).toBe(`/tasks/${String(body.taskId)}`);
      const canceled = await rest.call('POST', `/tasks/${String(body.taskId)}:cancel`, {});
      expect(canceled.body.status.state).toBe('TASK_STATE_CANCELED');
    });

    it('answers 409 with the question, which a message answers (O-02)', async () => {
      const { status, body } = await run(ending('ask'));
      expect([status, body.error.message]).toEqual([409, 'How many days?']);
      const { taskId } = body.error.data;
      const message = { messageId: randomUUID(), role: 'ROLE_USER', taskId, parts: [{ data: { days: 3 } }] };
      const answered = await rpc.task('SendMessage', { message });
      expect(answered.status.state).toBe('TASK_STATE_COMPLETED');
    });

    it.each([
      ['reject', 422, 'Not today.'],
      ['fail', 500, 'The source is closed.'],
      ['break', 500, expect.stringMatching(/Reference: /)],
    ])('answers a task without a result with an error that names it (O-06): %s', async (how, status, message) => {
      const answer = await run(ending(how));
      expect([answer.status, answer.body.error.message]).toEqual([status, message]);
      expect(answer.body.error.data).toMatchObject({
        retryable: false,
        taskId: expect.any(String),
        reason: 'TaskFailed',
      });
    });

    it('runs a request_id once: the same call has the same task, another one conflicts (A2A-SEND-14)', async () => {
      const named = { ...SEED_RUN, context: { request_id: randomUUID() } };
      const [first, again] = [await run(named), await run(named)];
      expect(again.body).toEqual(first.body);
      expect(again.headers.get('parley-task-id')).toBe(first.headers.get('parley-task-id'));
      const other = await run({ ...named, inputs: { review: 'Fine.' } });
      expect([other.status, other.body.error.data.violations]).toMatchObject([409, [{ field: 'context.request_id' }]]);
    });

    it('refuses a batch, what is no JSON, and an unknown intent', async () => {
      expect((await run([SEED_RUN])).body.error).toMatchObject({ code: 400, data: { reason: 'InvalidRequest' } });
      expect((await run('{"intent":')).body.error).toMatchObject({ code: 400, data: { reason: 'ParseError' } });
      expect((await run({ intent: 'nothing' })).body.error).toMatchObject({
        code: 404,
        message: 'There is no intent "nothing"',
      });
      expect((await rest.call('GET', '/run')).status).toBe(405);
    });
  });

  describe('delegation packets at POST /run', () => {
    it("runs the article's packet, and says what ran (O-07, SEED-35)", async () => {
      const { status, body, headers } = await run(SEED_PACKET);
      expect([status, body]).toEqual([200, { ran: 'fetch_invoice', result: { invoice_id: 'INV-7789', total: 5 } }]);
      expect(headers.get('parley-task-id')).toEqual(expect.any(String));
    });

    it.each([
      ['INV-0', 'its result does not meet invoice_retrieved'],
      ['INV-1', 'There is no such invoice.'],
    ])('runs the fallback with the same input and the reason: %s (O-07)', async (id, reason) => {
      // Two skills run one after the other, and may outlast a call: the same request_id follows the same task.
      const context = { invoice_id: id, request_id: randomUUID() };
      await eventually(async () => {
        expect((await run({ ...SEED_PACKET, context })).body).toMatchObject({
          ran: 'notify_accounting_failure',
          result: { text: `Accounting knows of ${id}.` },
          reason: expect.stringContaining(reason),
        });
      });
    });

    it.each([
      ['a missing input', { context: {} }, 400, 'context.invoice_id'],
      ['an undeclared input', { context: { invoice_id: 'x', tone: 1 } }, 400, 'context.tone'],
      ['another condition', { success_conditions: ['paid'] }, 400, 'success_conditions'],
      ['an unknown fallback', { fallback: 'nobody' }, 400, 'fallback'],
      ['an unknown member', { data: 'handle it' }, 400, 'data'],
    ])('refuses %s with its path, before any task exists (O-08)', async (_what, more, status, field) => {
      const before = await tasks();
      const answer = await run({ ...SEED_PACKET, ...more });
      expect([answer.status, answer.body.error.data.violations]).toMatchObject([status, [{ field }]]);
      expect(await tasks()).toBe(before);
    });

    it('repeats nothing for one request_id, and knows no intent that is not there', async () => {
      const named = { ...SEED_PACKET, context: { invoice_id: 'INV-1', request_id: randomUUID() } };
      const [first, again] = [await run(named), await run(named)];
      expect(again.headers.get('parley-task-id')).toBe(first.headers.get('parley-task-id'));
      expect((await run({ ...SEED_PACKET, delegated_intent: 'nothing' })).status).toBe(404);
    });
  });

  describe('the doors of an intent', () => {
    it('ask for the same right: 403 where SendMessage is 403 (O-03)', async () => {
      const refusals = [
        await run(SEED_RUN, READER),
        await rest.call(
          'POST',
          '/message:send',
          { message: { messageId: '1', role: 'ROLE_USER', parts: [{ text: 'x' }] } },
          READER,
        ),
      ];
      expect(refusals.map(({ status }) => status)).toEqual([403, 403]);
      expect(refusals[0]?.body.error).toMatchObject({ code: 403, data: { reason: 'PermissionDenied' } });
      expect((await rpc.post(SEED_RPC, READER)).status).toBe(403);
      const stranger = await run(SEED_RUN, { 'x-api-key': 'none.none' });
      expect([stranger.status, stranger.body.error]).toMatchObject([401, { code: 401, data: { retryable: false } }]);
    });

    it('make one shape of task (O-03)', async () => {
      const inputs = { review: 'great' };
      const ids = [
        (await run({ intent: 'analyze_sentiment', inputs })).headers.get('parley-task-id'),
        (
          await rpc.task('SendMessage', {
            message: {
              messageId: randomUUID(),
              role: 'ROLE_USER',
              parts: [{ data: inputs }],
              metadata: { skillId: 'analyze_sentiment' },
            },
          })
        ).id,
      ];
      const [door, protocol] = await Promise.all(
        ids.map(async (id) => (await rest.call('GET', `/tasks/${String(id)}`)).body),
      );
      const shapeOf = ({ status, artifacts, history }: typeof door): unknown => [
        status.state,
        artifacts,
        history.map(({ role, parts, metadata }: { role: string; parts: unknown; metadata: unknown }) => [
          role,
          parts,
          metadata,
        ]),
      ];
      expect(shapeOf(door)).toEqual(shapeOf(protocol));
    });

    it('are in the card (O-01)', async () => {
      const card = (await (await fetch(`${running.url}/.well-known/agent-card.json`)).json()) as AgentCard;
      const extension = card.capabilities.extensions?.find(({ uri }) => uri === INTENTS_EXTENSION);
      expect(extension?.params).toEqual({
        intents: [
          ...['summarize_text', 'analyze_sentiment', 'ending'],
          ...['fetch_invoice', 'notify_accounting_failure', 'delegate'],
        ],
        run: `${running.url}/run`,
      });
    });
  });

  describe('the registry over HTTP', () => {
    const { read, register, curate } = REGISTRY_SCOPES;

    it.each([
      ['POST', '/registry/search', { query: { text: 'x' } }, read],
      ['GET', '/registry/agents', undefined, read],
      ['GET', '/registry/entries', undefined, register],
      ['GET', '/registry/log', undefined, curate],
      ['GET', '/registry/publishers', undefined, curate],
    ])('O-65: %s %s is for callers with its scope alone', async (method, path, body, scope) => {
      const as = (key: string) =>
        rest.call(method, path, body, { 'x-api-key': `${key}.secret`, 'content-type': 'application/json' });
      const answers = await Promise.all(['planner', 'read', 'register', 'curate', 'nobody'].map((key) => as(key)));
      const wanted = [null, read, register, curate].map((own) => (own === scope ? 200 : 403));
      expect(answers.map(({ status }) => status)).toEqual([...wanted, 401]);
      expect(JSON.stringify(answers[0]?.body)).toContain(scope);
    });
  });

  describe('GET /openapi.json', () => {
    it('is OpenAPI 3.1 without a fault for a public linter, and has every door over HTTP (O-02)', async () => {
      const { body, status } = await rest.call('GET', '/openapi.json');
      expect([status, body.openapi]).toEqual([200, '3.1.0']);
      const config = await createConfig({ extends: ['recommended'], rules: { 'no-server-example.com': 'off' } });
      const problems = await lintFromString({ source: JSON.stringify(body), absoluteRef: 'openapi.json', config });
      const faults = problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]);
      expect(faults).toEqual([]);
      expect(Object.keys(body.paths)).toEqual(
        expect.arrayContaining([
          '/message:send',
          '/tasks/{id}:cancel',
          '/run',
          '/webhooks/redrive',
          '/skills/{id}/schema',
          '/registry/search',
          '/registry/events',
        ]),
      );
      expect(body.paths['/webhooks/dead-letters'].get.parameters).toContainEqual({
        ...{ name: 'limit', in: 'query' },
        schema: { type: 'integer', minimum: 1, maximum: 1000 },
      });
      expect((await rest.call('GET', '/openapi.json', undefined, { 'x-api-key': 'none.none' })).status).toBe(401);
    });

    it.each(['summarize_text', 'analyze_sentiment'])(
      'shows what is enforced: samples of %s pass, and each spoilt one is refused with its path (O-04, SEED-34)',
      async (intent) => {
        const { body } = await rest.call('GET', '/openapi.json');
        const { properties } = body.components.schemas[`Run_${intent}`];
        const before = await tasks();
        const samples = fc.sample(fitting(properties.inputs), 5) as object[];
        for (const inputs of samples) expect([inputs, (await run({ intent, inputs })).status]).toEqual([inputs, 200]);
        for (const { path, value } of samples.flatMap((sample) => mutationsOf(properties.inputs, sample))) {
          const answer = await run({ intent, inputs: value });
          const fields = answer.body.error.data.violations.map(({ field }: { field: string }) => field);
          expect([value, answer.status, fields]).toEqual([value, 400, expect.arrayContaining([`inputs.${path}`])]);
        }
        expect(await tasks()).toBe(before + samples.length);
      },
    );
  });
});
