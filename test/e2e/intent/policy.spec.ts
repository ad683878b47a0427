import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { IsOptional, IsString } from 'class-validator';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { explain } from '../../../src/policy/explain.js';
import { readPolicy } from '../../../src/policy/policy-file.js';
import { DelegateSkill } from '../../../skills/delegate/delegate.skill.js';
import { artifact, inputRequired, type SkillEvent } from '@parley/sdk/skill/events.js';
import { CallFailed } from '@parley/sdk/skill/calls/call.js';
import { Skill, type SkillContext, type SkillHandler } from '@parley/sdk/skill/skill.js';
import { ModulesContainer } from '@nestjs/core';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { OperationName } from '@parley/protocol/model/operations.js';
import { SERVICE_V03, SERVICE_V1 } from '../../../src/http/grpc/schema/schema.js';
import { REST_ROUTES } from '../../../src/http/rest/rest-routes.js';
import { codecV01 } from '@parley/protocol/v0_1/codec.js';
import { codecV02, codecV03 } from '@parley/protocol/v0_3/codec.js';
import { codecV1 } from '@parley/protocol/v1_0/codec.js';
import { McpClient, TASKS } from '../../kit/callers/mcp-client.js';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { EVERY_WAY, type Subject, type WireCall } from '../../kit/callers/every-way.js';
import { WireClient } from '../../kit/callers/wire-client.js';
import { RestClient } from '../../kit/callers/rest-client.js';
import { RpcClient } from '../../kit/callers/rpc-client.js';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';

const SEED = readFileSync(fileURLToPath(new URL('../../fixtures/policy/seed.json', import.meta.url)), 'utf8');
/** The article's rules, and what a policy may ask of calls beside the right. */
const RULES = {
  ...(JSON.parse(SEED) as { readonly intents: readonly object[] }),
  intents: [
    ...(JSON.parse(SEED) as { readonly intents: readonly object[] }).intents,
    { name: 'fresh', intents: ['fresh_only'], fresh: { seconds: 300, nonce: true } },
    { name: 'slow', intents: ['slow_only'], rate: '1/2' },
    { name: 'steward pays', intents: ['process_transaction'], allow: ['service://steward', 'service://clerk'] },
  ],
};
const POLICY = readPolicy(JSON.stringify(RULES));

class Note {
  @IsOptional()
  @IsString()
  readonly note?: string;
}

const card = { description: 'Asks, and ends with the answer.', tags: ['test'], input: Note, maxAttempts: 1 };
const modes = { inputModes: ['text/plain', 'application/json'], outputModes: ['application/json', 'text/plain'] };

async function* asking({ turn, text }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
  if (turn === 1 && text !== 'now') yield inputRequired('Sure?');
  else yield artifact('done', 'done');
}

@Skill({ ...card, ...modes, id: 'process_transaction', name: 'Process' })
class ProcessSkill implements SkillHandler {
  run(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    return asking(context);
  }
}

@Skill({ ...card, ...modes, id: 'query_transaction_metadata', name: 'Query' })
class QuerySkill implements SkillHandler {
  run(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    return asking(context);
  }
}

/** Calls the skill that its note names, and says how that came out. */
@Skill({ ...card, ...modes, id: 'broker', name: 'Broker', memory: { reads: ['*'] } })
class BrokerSkill implements SkillHandler {
  async *run({ input, call }: SkillContext<Note>): AsyncGenerator<SkillEvent, void, void> {
    try {
      const { text, data } = await call(input.note ?? '', 'now');
      yield artifact('outcome', [{ data: { outcome: text, data } }]);
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error;
      yield artifact('outcome', [{ data: { outcome: error.why } }]);
    }
  }
}

/** The same for the service itself: what it may call is in the policy. */
@Skill({ ...card, ...modes, id: 'steward', name: 'Steward', actsAs: 'service' })
class StewardSkill extends BrokerSkill {}

/** The policy would let it, and its contract does not say so. */
@Skill({ ...card, ...modes, id: 'clerk', name: 'Clerk' })
class ClerkSkill extends BrokerSkill {}

/** Its contract says so, and the policy does not let it. */
@Skill({ ...card, ...modes, id: 'visitor', name: 'Visitor', actsAs: 'service' })
class VisitorSkill extends BrokerSkill {}

const LENT = { 'payment.card_number': 'value-4111', 'payment.amount': 5, 'summary.text': 'x', other: 1 };

@Skill({ ...card, ...modes, id: 'memory_of', name: 'Memory', memory: { reads: ['payment.*', 'summary.*'] } })
class MemorySkill implements SkillHandler {
  async *run({ shared }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const read = Object.keys(LENT).map(async (key) => [key, await shared('caller').get(key)] as const);
    const lent = (await Promise.all(read)).filter(([, value]) => value !== undefined);
    yield artifact('memory', [{ data: Object.fromEntries(lent) }]);
  }
}

@Skill({ ...card, ...modes, id: 'fresh_only', name: 'Fresh' })
class FreshSkill extends MemorySkill {}

@Skill({ ...card, ...modes, id: 'slow_only', name: 'Slow' })
class SlowSkill extends MemorySkill {}

const STEWARDS = [StewardSkill, ClerkSkill, VisitorSkill];
const CALLERS = ['checkout_agent', 'fraud_detection_agent', 'audit_agent'];
const INTENTS = ['process_transaction', 'query_transaction_metadata'];
const SCOPES =
  'a2a:message.send a2a:tasks.read a2a:tasks.cancel a2a:card.extended a2a:tasks.observe a2a:tasks.operate a2a:approvals.answer';
const headersOf = (caller: string): Record<string, string> => ({ 'x-api-key': `${caller}.secret` });
const mayCall = (caller: string, intent: string): boolean =>
  explain(POLICY, { tenant: 'acme', caller, intent }).every(({ isAllowed }) => isAllowed);

let running: RunningApp;
let wire: WireClient;
let rpc: RpcClient;
let folder: string;

/** The call with the skill named in its message, whatever the dialect. */
function forSkill(call: WireCall, skillId: string): WireCall {
  const named = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(named);
    const members = Object.entries(value).map(([name, member]) => [name, named(member)] as const);
    return { ...Object.fromEntries(members), ...('role' in value ? { metadata: { skillId } } : {}) };
  };
  if ('grpc' in call) return { grpc: { ...call.grpc, message: named(call.grpc.message) as never } };
  return { http: { ...call.http, body: JSON.stringify(named(JSON.parse(call.http.body ?? '{}'))) } };
}

interface Door {
  readonly name: string;
  readonly call: (intent: string, subject: Subject) => WireCall;
}

/** Every way of every dialect to send a message: a new one is in it by itself. */
const SENDING: readonly Door[] = EVERY_WAY.flatMap(({ name, calls }) =>
  (['SendMessage', 'SendStreamingMessage'] as const).flatMap((operation) => {
    const made = calls[operation];
    return made === undefined
      ? []
      : [{ name: `${operation} ${name}`, call: (intent: string, subject: Subject) => forSkill(made(subject), intent) }];
  }),
);
const post = (path: string, body: object): WireCall => ({
  http: { method: 'POST', path, version: undefined, body: JSON.stringify(body) },
});
const delegateOf = (inputs: object): object => ({ intent: 'delegate', inputs });
const delegating = (intent: string): object => ({
  message: {
    ...{ messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ data: { delegated_intent: intent } }] },
    metadata: { skillId: 'delegate' },
  },
});
const INTENT_DOORS: readonly Door[] = [
  { name: 'intent on JSON-RPC', call: (method) => post('/', { jsonrpc: '2.0', id: 1, method, params: {} }) },
  { name: 'POST /run', call: (intent) => post('/run', { intent }) },
  { name: 'delegation packet', call: (intent) => post('/run', { delegated_intent: intent }) },
  {
    name: 'fallback of a delegation packet',
    call: (fallback) => post('/run', { delegated_intent: 'query_transaction_metadata', fallback }),
  },
  { name: 'delegate on POST /run', call: (intent) => post('/run', delegateOf({ delegated_intent: intent })) },
  {
    name: 'fallback of delegate on POST /run',
    call: (fallback) => post('/run', delegateOf({ delegated_intent: 'query_transaction_metadata', fallback })),
  },
  {
    name: 'delegate on JSON-RPC',
    call: (intent) => post('/', { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: delegating(intent) }),
  },
  { name: 'delegate on HTTP+JSON', call: (intent) => post('/message:send', delegating(intent)) },
];
const CANCELING: readonly Door[] = EVERY_WAY.flatMap(({ name, calls: { CancelTask: made } }) =>
  made === undefined
    ? []
    : [{ name: `CancelTask ${name}`, call: (_intent: string, subject: Subject) => made(subject) }],
);

/** Controllers whose calls begin, answer or cancel tasks: all are tried. */
const IN_THE_MATRIX = [
  ...['RpcController', 'RestController', 'RunController', 'McpController', 'ApprovalsController'],
  ...['TaskRerunController', 'TaskController', 'TaskListController'],
];
/** Those that read, are about webhooks, or call other agents for people: what the policy says of these is in e2e/console/other-agents. */
const NO_DOORS = [
  ...['AgentCardController', 'ExtendedCardController', 'HomeController', 'JwksController', 'SkillSchemaController'],
  ...['HealthController', 'OpenApiController', 'WebhookOperatorController', 'WebhookAttemptsController'],
  ...['ConsolePagesController', 'DeadLettersController', 'DiscoveryController', 'FeedController', 'MeController'],
  ...['MetricsController', 'PlatformController', 'ProtectedResourceController', 'TaskBundleController'],
  ...['TaskWebhooksController', 'EventWebhooksController', 'McpSessionController'],
  ...['RemoteAgentsController', 'TriedAgentsController', 'TriedCallsController', 'WebhookBinController'],
];

const subjectOf = (taskId = ''): Subject => ({ taskId, configId: 'c', messageId: crypto.randomUUID() });
const isDenied = async (door: Door, caller: string, intent: string, taskId?: string): Promise<boolean> => {
  const { status } = await wire.call(door.call(intent, subjectOf(taskId)), headersOf(caller));
  return status === 403 || status === 'PERMISSION_DENIED';
};

/** A task that asks, of a caller that may do all. */
async function anAskingTask(intent: string): Promise<string> {
  const message = {
    messageId: crypto.randomUUID(),
    role: 'ROLE_USER',
    parts: [{ text: 'hello' }],
    metadata: { skillId: intent },
  };
  return (await rpc.task('SendMessage', { message })).id;
}

/** Whether the MCP door denies a call, which it answers in its own words. */
async function mcpDenies(caller: string, method: string, params: JsonObject): Promise<boolean> {
  const mcp = new McpClient(running.url, headersOf(caller)).with(TASKS);
  const { status, response } = await mcp.request(method, params);
  return status === 403 || JSON.stringify(response).includes('may not use');
}

const CELLS = CALLERS.flatMap((caller) => INTENTS.map((intent) => ({ caller, intent })));
const REFUSED = CELLS.filter(({ caller, intent }) => !mayCall(caller, intent));
const ALLOWED = CELLS.filter(({ caller, intent }) => mayCall(caller, intent));

describe('policy', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'policy-'));
    const POLICY_FILE = join(folder, 'policy.json');
    writeFileSync(POLICY_FILE, JSON.stringify(RULES));
    const keys = CALLERS.map((caller) => apiKeyEntry(`${caller}.secret`, { tenant: 'acme', scopes: SCOPES }));
    running = await runApp(
      {
        ...{ API_KEYS: keys.join(';'), POLICY_FILE, OWNERSHIP: 'tenant', GRPC_PORT: '0', DEFAULT_SKILL: 'broker' },
        ...{ AUDIT_LOG: join(folder, 'audit.log'), MCP: 'true' },
      },
      {
        skills: [ProcessSkill, QuerySkill, BrokerSkill, MemorySkill, FreshSkill, SlowSkill, DelegateSkill, ...STEWARDS],
      },
    );
    wire = new WireClient(running.url, running.grpc ?? '');
    rpc = new RpcClient(running.url, headersOf('checkout_agent'));
  });

  afterAll(async () => {
    wire.close();
    await running.close();
    rmSync(folder, { recursive: true });
  });

  describe('the matrix of callers, intents, doors and steps', () => {
    it.each(CELLS)(
      '$caller begins $intent at every door as the policy says (O-13, O-03, A15)',
      async ({ caller, intent }) => {
        for (const door of [...SENDING, ...INTENT_DOORS]) {
          expect([door.name, await isDenied(door, caller, intent)]).toEqual([door.name, !mayCall(caller, intent)]);
        }
      },
    );

    it.each(REFUSED)('$caller neither answers nor cancels $intent at any door (O-13)', async ({ caller, intent }) => {
      const taskId = await anAskingTask(intent);
      for (const door of [...SENDING, ...CANCELING]) {
        expect([door.name, await isDenied(door, caller, intent, taskId)]).toEqual([door.name, true]);
      }
      expect((await rpc.task('GetTask', { id: taskId })).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    });

    it.each(ALLOWED)('$caller answers and cancels $intent at every door (O-13)', async ({ caller, intent }) => {
      for (const door of [...SENDING, ...CANCELING]) {
        const taskId = await anAskingTask(intent);
        expect([door.name, await isDenied(door, caller, intent, taskId)]).toEqual([door.name, false]);
        expect((await rpc.task('GetTask', { id: taskId })).status.state).not.toBe('TASK_STATE_INPUT_REQUIRED');
      }
    });

    it.each(CELLS)('$caller begins, answers and cancels $intent over MCP as the policy says (O-13)', async (cell) => {
      const { caller, intent } = cell;
      const isDeniedHere = !mayCall(caller, intent);
      expect(await mcpDenies(caller, 'tools/call', { name: intent, arguments: {} })).toBe(isDeniedHere);
      const mcp = new McpClient(running.url, headersOf(caller)).with({ ...TASKS, elicitation: { form: {} } });
      for (const method of ['tasks/update', 'tasks/cancel']) {
        const taskId = await anAskingTask(intent);
        const { inputRequests } = await mcp.result('tasks/get', { taskId });
        const [key = ''] = Object.keys(inputRequests as object);
        const inputResponses = { [key]: { action: 'accept', content: { answer: 'yes' } } };
        const params = method === 'tasks/update' ? { taskId, inputResponses } : { taskId };
        expect([method, await mcpDenies(caller, method, params)]).toEqual([method, isDeniedHere]);
        const { state } = (await rpc.task('GetTask', { id: taskId })).status;
        if (isDeniedHere) expect([method, state]).toEqual([method, 'TASK_STATE_INPUT_REQUIRED']);
      }
    });

    it.each(CELLS)(
      '$caller answers, repeats and cancels $intent from the console as the policy says (O-13, A10)',
      async (cell) => {
        const { caller, intent } = cell;
        const taskId = await anAskingTask(intent);
        const operator = new RestClient(running.url, headersOf(caller));
        const bodies = { rerun: {}, answer: { questionId: `${taskId}:1`, text: 'yes' } };
        const asking = await anAskingTask(intent);
        for (const [step, body] of Object.entries(bodies)) {
          const path = `/console/api/tasks/${taskId}/${step}`;
          const { status } = await operator.call('POST', path, body, { 'content-type': 'application/json' });
          expect([step, status]).toEqual([step, mayCall(caller, intent) ? 200 : 403]);
        }
        const type = { 'content-type': 'application/json' };
        const { status } = await operator.call('POST', `/console/api/tasks/${asking}/cancel`, {}, type);
        expect(status).toBe(mayCall(caller, intent) ? 200 : 403);
        const ids = [await anAskingTask(intent)];
        const { body } = await operator.call('POST', '/console/api/tasks/cancel', { ids }, type);
        expect(body.tasks).toEqual([{ id: ids[0], outcome: mayCall(caller, intent) ? 'canceled' : 'forbidden' }]);
      },
    );

    it('has every door that the service registers: a new one fails until it is in it (O-13)', () => {
      const steps: readonly (OperationName | undefined)[] = ['SendMessage', 'SendStreamingMessage', 'CancelTask'];
      const calls = EVERY_WAY.flatMap(({ calls: made }) =>
        steps.flatMap((step) => (step === undefined ? [] : (made[step]?.(subjectOf('t')) ?? []))),
      );
      const tried = new Set(
        calls.map((call) => {
          if ('grpc' in call) return `${call.grpc.service.typeName}/${call.grpc.name}`;
          const { method } = JSON.parse(call.http.body ?? '{}') as { readonly method?: string };
          return method ?? call.http.path.replace(/^(\/v1)?\/(tasks\/)?[^:]*:/, '');
        }),
      );
      const rpcMethods = [codecV1, codecV03, codecV02, codecV01].flatMap((codec) =>
        // A caller of 0.1 names its tasks: what it sends begins one of its own.
        codec.methods.filter((name) => steps.includes(codec.operationOf(name)) && !name.startsWith('tasks/send')),
      );
      const grpcMethods = [SERVICE_V1, SERVICE_V03].flatMap(({ typeName, methods }) =>
        methods.filter(({ name }) => /^(Send|Cancel)/.test(name)).map(({ name }) => `${typeName}/${name}`),
      );
      const restMethods = Object.entries(REST_ROUTES).flatMap(([resource, methods]) =>
        Object.values(methods).some((one) => steps.includes(one)) ? [resource.replace(/^[^:]*:/, '')] : [],
      );
      for (const name of [...rpcMethods, ...grpcMethods, ...restMethods]) expect(tried).toContain(name);
      const controllers = [...running.app.get(ModulesContainer).values()].flatMap((module) =>
        [...module.controllers.values()].map(({ name }) => String(name)),
      );
      expect(controllers.toSorted()).toEqual([...IN_THE_MATRIX, ...NO_DOORS].toSorted());
    });

    it.each(CELLS)(
      'a skill calls $intent for $caller as the policy says: a child may not more (O-13, I13)',
      async ({ caller, intent }) => {
        const rest = new RestClient(running.url, headersOf(caller));
        const { body } = await rest.call(
          'POST',
          '/run',
          { intent: 'broker', inputs: { note: intent } },
          { 'content-type': 'application/json' },
        );
        expect(body.outcome).toMatchObject({ outcome: mayCall(caller, intent) ? 'done' : 'scope' });
      },
    );

    it.each([
      ['steward', 'done'],
      ['clerk', 'scope'],
      ['visitor', 'scope'],
    ])(
      'a child may more than its caller only where contract and policy say so: %s (O-13, I13)',
      async (intent, outcome) => {
        const { body } = await new RestClient(running.url, headersOf('audit_agent')).call(
          'POST',
          '/run',
          { intent, inputs: { note: 'process_transaction' } },
          { 'content-type': 'application/json' },
        );
        expect(body.outcome).toMatchObject({ outcome });
        const line = '"client":"audit_agent","method":"run","result":"done","reason":"policy rule steward pays"';
        const isAudited = readFileSync(join(folder, 'audit.log'), 'utf8').includes(
          `${line},"skill":"process_transaction","actsAs":"service://${intent}"`,
        );
        expect(isAudited).toBe(outcome === 'done');
      },
    );

    it.each(CALLERS)('the extended card shows %s what it may call (O-14)', async (caller) => {
      const { body } = await new RestClient(running.url, headersOf(caller)).call(
        'GET',
        '/extendedAgentCard',
        undefined,
        {
          'a2a-version': '1.0',
        },
      );
      const ids = body.skills.map(({ id }: { id: string }) => id);
      expect(INTENTS.filter((intent) => ids.includes(intent))).toEqual(
        INTENTS.filter((intent) => mayCall(caller, intent)),
      );
    });

    it('has the rule in the audit log and not in the answer (O-13)', async () => {
      const { body } = await wire.call(post('/run', { intent: 'process_transaction' }), headersOf('audit_agent'));
      expect(body).not.toContain('payments');
      expect(readFileSync(join(folder, 'audit.log'), 'utf8')).toContain(
        '"code":"PermissionDenied","reason":"policy rule payments"',
      );
    });
  });

  describe('memory', () => {
    const lentTo = async (caller: string, run: object): Promise<unknown> => {
      const { body } = await new RestClient(running.url, headersOf(caller)).call(
        'POST',
        '/run',
        { memory: LENT, ...run },
        { 'content-type': 'application/json' },
      );
      return body;
    };

    it.each([
      ['checkout_agent', { 'payment.card_number': 'value-4111', 'payment.amount': 5, 'summary.text': 'x' }],
      ['fraud_detection_agent', { 'payment.amount': 5, 'summary.text': 'x' }],
      ['audit_agent', { 'summary.text': 'x' }],
    ])('of %s reaches a skill and a child as far as contract and policy go (O-11, O-12)', async (caller, expected) => {
      expect(await lentTo(caller, { intent: 'memory_of' })).toEqual({ memory: expected });
      const outcome = { outcome: expect.any(String), data: [expected] };
      expect(await lentTo(caller, { intent: 'broker', inputs: { note: 'memory_of' } })).toEqual({ outcome });
    });

    it('that is withheld is in the audit log by name, and nowhere by value (O-12)', () => {
      const audit = readFileSync(join(folder, 'audit.log'), 'utf8');
      expect(audit).toContain('"withheld":"payment.card_number"');
      expect(audit).not.toContain('value-4111');
    });
  });

  describe('what a policy asks of calls beside the right', () => {
    const run = (caller: string, body: object): ReturnType<RestClient['call']> =>
      new RestClient(running.url, headersOf(caller)).call('POST', '/run', body, { 'content-type': 'application/json' });
    const now = (): string => new Date().toISOString();
    const old = new Date(Date.now() - 600_000).toISOString();

    it('refuses a call that is stale or replayed, and takes a new one (O-75, SEED-43)', async () => {
      const call = (context: object): ReturnType<typeof run> => run('audit_agent', { intent: 'fresh_only', context });
      const nonce = crypto.randomUUID();
      const wrong = [
        [{}, 'timestamp'],
        [{ timestamp: old, nonce }, 'timestamp'],
        [{ timestamp: now() }, 'nonce'],
      ] as const;
      for (const [context, member] of wrong) {
        const { status, body } = await call(context);
        expect([status, body.error.data.violations]).toMatchObject([400, [{ field: `context.${member}` }]]);
      }
      expect((await call({ timestamp: now(), nonce })).status).toBe(200);
      expect((await call({ timestamp: now(), nonce })).body.error.message).toBe(
        "Invalid field: 'nonce' was used before",
      );
      expect((await run('checkout_agent', { intent: 'fresh_only', context: { timestamp: now(), nonce } })).status).toBe(
        200,
      );
    });

    it('runs a repeated request once, with a new time and nonce (O-75)', async () => {
      const named = { request_id: crypto.randomUUID() };
      const call = (): ReturnType<typeof run> =>
        run('audit_agent', {
          intent: 'fresh_only',
          context: { ...named, timestamp: now(), nonce: crypto.randomUUID() },
        });
      const [one, other] = [await call(), await call()];
      expect([one.status, one.headers.get('parley-task-id')]).toEqual([200, other.headers.get('parley-task-id')]);
    });

    it('limits the calls of one caller by a rule, with the time to wait (O-06)', async () => {
      const answers = [];
      for (let at = 0; at < 3; at += 1) answers.push(await run('audit_agent', { intent: 'slow_only' }));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
      expect(answers[2]?.body.error.data).toMatchObject({ retryable: true, retryAfterMs: expect.any(Number) });
      expect((await run('checkout_agent', { intent: 'slow_only' })).status).toBe(200);
    });
  });
});
