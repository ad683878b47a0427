import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { context as otelContext, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { IsOptional, IsString } from 'class-validator';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { PinoLogger } from '../../../src/platform/logging/pino.logger.js';
import { recordSpans } from '../../../src/platform/tracing/traced.js';
import { explain } from '../../../src/policy/explain.js';
import { readPolicy } from '../../../src/policy/policy-file.js';
import { CONTEXT_EXTENSION } from '@parley/protocol/extension/context-extension.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { SIMULATED } from '@parley/protocol/extension/marks.js';
import { SCOPE_EXTENSION } from '@parley/protocol/extension/scope-extension.js';
import type { Task } from '@parley/protocol/model/task.js';
import { CallFailed } from '@parley/sdk/skill/calls/call.js';
import { definitionIn } from '../../../src/remote-agents/directory/exposed-skill.js';
import type { AgentCard } from '@parley/protocol/model/agent-card.js';
import { remote } from '@parley/sdk/skill/calls/remote.js';
import { SKILL_SCHEMA_EXTENSION } from '@parley/sdk/skill/contract/skill-schema.js';
import { artifact, type SkillEvent } from '@parley/sdk/skill/events.js';
import { Skill, type SkillContext, type SkillHandler } from '@parley/sdk/skill/skill.js';
import { longToolSkill, ToolFailed } from '@parley/sdk/skill/tools/skill-tool.js';
import { pinOf } from '../../../src/mcp-tools/client/tool-definition.js';
import { AgentStub } from '../../kit/stubs/agent-stub.js';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { RestClient } from '../../kit/callers/rest-client.js';
import { RpcClient } from '../../kit/callers/rpc-client.js';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';
import { ECHO_TOOL, ToolServerStub } from '../../kit/mcp-tools/tool-server-stub.js';

/** The article's callers, and rules about what leaves the service for them. */
const CALLERS = ['checkout_agent', 'fraud_detection_agent', 'audit_agent'];
const OUTSIDE = { remote: remote('finance'), tool: longToolSkill('files', 'echo') };
/** The same, as callers see it. */
const SHOWN = { remote: 'finance_hear', tool: 'files_echo' };
const RULES = {
  intents: [
    { name: 'finance', intents: [OUTSIDE.remote], allow: ['agent://checkout_agent'] },
    { name: 'files', intents: ['tool:files/*'], deny: ['agent://audit_agent'] },
  ],
  memory: [{ name: 'secrets', callers: ['*'], deny: ['secret.*'] }],
  relays: [{ name: 'till', callers: ['agent://checkout_agent'] }],
};
const POLICY = readPolicy(JSON.stringify(RULES));
const mayReach = (caller: string, intent: string): boolean =>
  explain(POLICY, { tenant: 'acme', caller, intent }).every(({ isAllowed }) => isAllowed);

class Step {
  @IsOptional()
  @IsString()
  readonly step?: string;
}

class Receipt {
  @IsString()
  readonly receipt!: string;
}

const modes = { inputModes: ['application/json'], outputModes: ['application/json', 'text/plain'] };
const card = { description: 'A skill of the test.', tags: ['test'], maxAttempts: 1, ...modes };
let paid = 0;

@Skill({ ...card, id: 'pay', name: 'Pay', effects: 'irreversible', output: Receipt })
class PaySkill implements SkillHandler {
  async *run(): AsyncGenerator<SkillEvent, void, void> {
    paid += 1;
    yield artifact('receipt', [{ data: { receipt: 'real' } }]);
  }
}

/** The keys that the caller of the test lends. */
let lentKeys: readonly string[] = [];

@Skill({
  ...card,
  id: 'report',
  name: 'Report',
  memory: { reads: ['summary.*', 'secret.*'] },
  scopes: ['skill:report'],
})
class ReportSkill implements SkillHandler {
  async *run({ shared, history: [first] }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const read = lentKeys.map(async (key) => [key, await shared('caller').get(key)] as const);
    const memory = Object.fromEntries((await Promise.all(read)).filter(([, value]) => value !== undefined));
    const { memory: _lent, ...context } = { ...(first?.metadata?.[CONTEXT_EXTENSION] as JsonObject | undefined) };
    yield artifact('report', [{ data: { memory, context } }]);
  }
}

/** Does what its input says, and says how it came out. */
@Skill({ ...card, id: 'outward', name: 'Outward', input: Step, memory: { reads: ['*'] }, tools: { files: ['echo'] } })
class OutwardSkill implements SkillHandler {
  async *run(context: SkillContext<Step>): AsyncGenerator<SkillEvent, void, void> {
    yield artifact('outcome', [{ data: await this.outcome(context) }]);
  }

  private async outcome({ input, call, tools, fetch, shared, isSimulated }: SkillContext<Step>): Promise<object> {
    try {
      switch (input.step) {
        case 'remote':
          return { said: (await call(OUTSIDE.remote, { amount: 1 })).text };
        case 'wrong':
          return { said: (await call(OUTSIDE.remote, { amount: 'much' })).text };
        case 'tool':
          return { said: (await tools.call('files', 'echo', { text: 'x' })).text };
        case 'shown_remote':
          return { said: (await call(SHOWN.remote, { amount: 1 })).text };
        case 'shown_tool':
          return { said: (await call(SHOWN.tool, { text: 'x' })).text };
        case 'pay':
          return { said: (await call<Receipt>('pay')).output.receipt };
        case 'fetch':
          return { said: await (await fetch('https://example.com/')).text() };
        case 'remember':
          await shared('context').set('place', 'here');
          return { said: String(isSimulated) };
        case 'recall':
          return { said: await shared('context').get('place') };
        case 'all': {
          const { data } = await call('report');
          await call(OUTSIDE.remote, { amount: 2 });
          return { said: data[0] };
        }
        case undefined:
        default:
          return { said: 'nothing' };
      }
    } catch (error) {
      if (error instanceof CallFailed || error instanceof ToolFailed) return { why: error.why, text: error.message };
      throw error;
    }
  }
}

/** What the agent elsewhere takes, as its card shows it. */
const CONTRACT = { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] };
const SCOPES = 'a2a:message.send a2a:tasks.read a2a:push.write a2a:card.extended skill:report';
const headersOf = (caller: string): Record<string, string> => ({ 'x-api-key': `${caller}.secret` });

let agent: AgentStub;
let tools: ToolServerStub;
let running: RunningApp;
let folder: string;
/** Every line of the log. */
let log = '';
const spans = new InMemorySpanExporter();

const run = (caller: string, step: string, more: object = {}): ReturnType<RestClient['call']> =>
  new RestClient(running.url, headersOf(caller)).call(
    'POST',
    '/run',
    { intent: 'outward', inputs: { step }, ...more },
    { 'content-type': 'application/json' },
  );
const taskOf = async (caller: string, headers: Headers): Promise<Task> =>
  new RpcClient(running.url, headersOf(caller)).task('GetTask', { id: headers.get('parley-task-id') });

describe('outgoing', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'outgoing-'));
    [agent, tools] = await Promise.all([new AgentStub().start(), new ToolServerStub().start()]);
    agent.extensions = [{ uri: SKILL_SCHEMA_EXTENSION, params: { skills: { hear: { input: CONTRACT } } } }];
    const shown = (await (await fetch(`${agent.url}/.well-known/agent-card.json`)).json()) as AgentCard;
    const expose = { hear: { as: SHOWN.remote, definition: definitionIn(shown, 'hear') } };
    const { description, inputSchema } = ECHO_TOOL;
    const echo = { pin: pinOf({ ...ECHO_TOOL }), exposeAs: SHOWN.tool, definition: { description, inputSchema } };
    const files = {
      POLICY_FILE: RULES,
      AGENTS_FILE: { finance: { card: agent.url, mode: 'poll', reads: ['summary.*'], expose } },
      MCP_SERVERS_FILE: { files: { url: tools.url, tools: { echo } } },
    };
    const named = Object.entries(files).map(([name, value]) => {
      writeFileSync(join(folder, name), JSON.stringify(value));
      return [name, join(folder, name)] as const;
    });
    const keys = CALLERS.map((caller) => {
      const scopes = caller === 'checkout_agent' ? `${SCOPES} agent.debug` : SCOPES;
      return apiKeyEntry(`${caller}.secret`, { tenant: 'acme', scopes });
    });
    new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }).register();
    recordSpans(true);
    const lines = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        log += chunk.toString();
        done();
      },
    });
    running = await runApp(
      {
        ...Object.fromEntries(named),
        ...{ API_KEYS: keys.join(';'), AUDIT_LOG: join(folder, 'audit.log') },
        EGRESS_ALLOW: [agent.host, tools.host].map((host) => `${host}=127.0.0.1/32!http`).join(';'),
      },
      { skills: [OutwardSkill, PaySkill, ReportSkill] },
      new PinoLogger('debug', lines),
    );
  });

  afterAll(async () => {
    await running.close();
    recordSpans(false);
    otelContext.disable();
    trace.disable();
    await Promise.all([agent.stop(), tools.stop()]);
    rmSync(folder, { recursive: true });
  });

  afterEach(() => {
    agent.requests.length = 0;
    tools.requests.length = 0;
  });

  describe('the matrix of callers and what leaves the service', () => {
    const cells = CALLERS.flatMap((caller) => (['remote', 'tool'] as const).map((step) => ({ caller, step })));

    it.each(cells)('a skill reaches a $step for $caller as the policy says (O-13, I13)', async ({ caller, step }) => {
      const { body } = await run(caller, step);
      const isAllowed = mayReach(caller, OUTSIDE[step]);
      const refused = { remote: 'scope', tool: 'denied' };
      expect(body.outcome).toMatchObject(isAllowed ? { said: expect.any(String) } : { why: refused[step] });
      const calls = { remote: agent.requests.length, tool: tools.calls.length };
      expect(calls).toEqual({ remote: 0, tool: 0, [step]: isAllowed ? 1 : 0 });
    });
  });

  describe('an agent and a tool that are shown as skills', () => {
    const cells = CALLERS.flatMap((caller) => (['remote', 'tool'] as const).map((kind) => ({ caller, kind })));
    const calls = (): object => ({ remote: agent.requests.length, tool: tools.calls.length });

    it.each(cells)(
      '$kind: $caller begins a task as rules about the agent or tool say (A2)',
      async ({ caller, kind }) => {
        const rpc = new RpcClient(running.url, headersOf(caller));
        const data = kind === 'remote' ? { amount: 1 } : { text: 'x' };
        const message = {
          messageId: randomUUID(),
          role: 'ROLE_USER',
          parts: [{ data }],
          metadata: { skillId: SHOWN[kind] },
        };
        const { result, error } = await rpc.call('SendMessage', { message });
        const isAllowed = mayReach(caller, OUTSIDE[kind]);
        if (isAllowed) expect(result).toMatchObject({ task: { status: { state: 'TASK_STATE_COMPLETED' } } });
        else expect(error?.message).toContain(`may not use "${SHOWN[kind]}"`);
        expect(calls()).toEqual({ remote: 0, tool: 0, [kind]: isAllowed ? 1 : 0 });
      },
    );

    it.each(cells)('$kind: a skill calls it for $caller as rules about the agent or tool say (A2)', async (cell) => {
      const { caller, kind } = cell;
      const { body } = await run(caller, `shown_${kind}`);
      const isAllowed = mayReach(caller, OUTSIDE[kind]);
      expect(body.outcome).toMatchObject(isAllowed ? { said: expect.any(String) } : { why: 'scope' });
      expect(calls()).toEqual({ remote: 0, tool: 0, [kind]: isAllowed ? 1 : 0 });
    });

    it.each(CALLERS)('the extended card shows %s those that it may use (A2)', async (caller) => {
      const { result } = await new RpcClient(running.url, headersOf(caller)).call('GetExtendedAgentCard', {});
      const { skills } = result as unknown as AgentCard;
      const shown = Object.values(SHOWN).filter((id) => skills.some((skill) => skill.id === id));
      const kinds = ['remote', 'tool'] as const;
      expect(shown).toEqual(kinds.filter((kind) => mayReach(caller, OUTSIDE[kind])).map((kind) => SHOWN[kind]));
    });
  });

  describe('wrong input for another agent', () => {
    it('is refused by the contract that its card shows, with the path, before anything is sent (O-05)', async () => {
      expect((await run('checkout_agent', 'remote')).body.outcome).toEqual({ said: 'heard' });
      agent.requests.length = 0;
      spans.reset();
      const { body } = await run('checkout_agent', 'wrong');
      expect(body.outcome).toEqual({
        why: 'schema',
        text: expect.stringContaining('message.parts[0].data.amount: must be number'),
      });
      const skills = spans.getFinishedSpans().flatMap(({ attributes }) => attributes['a2a.skill.id'] ?? []);
      expect([agent.requests, [...new Set(skills)]]).toEqual([[], ['outward']]);
    });
  });

  describe('debug mode', () => {
    const context = { debug_mode: true };

    it.each(['remote', 'tool', 'pay', 'fetch'])(
      'answers, and nothing leaves the service: %s (O-80, SEED-72)',
      async (step) => {
        const { status, body, headers } = await run('checkout_agent', step, { context });
        if (step === 'fetch') expect(body.error.message).toContain('In debug mode no request leaves the service');
        else expect(body.outcome.said).toMatch(/^\[DEBUG\] /);
        expect([status, headers.get('parley-simulated')]).toEqual([step === 'fetch' ? 500 : 200, 'true']);
        expect([agent.requests, tools.requests, paid]).toEqual([[], [], 0]);
        const task = await taskOf('checkout_agent', headers);
        expect(task.metadata).toMatchObject({ [SIMULATED]: true });
        expect(task.status.message).toMatchObject({
          parts: expect.arrayContaining([{ text: '[DEBUG] Simulated: no remote or irreversible call was made.' }]),
          metadata: { [SIMULATED]: true },
        });
        for (const made of task.artifacts ?? []) expect(made.metadata).toEqual({ [SIMULATED]: true });
      },
    );

    it('is refused without its scope, and the task of a real call is not simulated (O-80)', async () => {
      const refused = await run('audit_agent', 'pay', { context });
      expect([refused.status, refused.body.error.message]).toEqual([403, expect.stringContaining('agent.debug')]);
      const { body, headers } = await run('audit_agent', 'pay', { context: { debug_mode: false } });
      expect([body.outcome, paid]).toEqual([{ said: 'real' }, 1]);
      expect((await taskOf('audit_agent', headers)).metadata ?? {}).not.toHaveProperty([SIMULATED]);
      paid = 0;
    });

    it('remembers nothing that real tasks find, and has no webhooks (O-80)', async () => {
      const rpc = new RpcClient(running.url, headersOf('checkout_agent'));
      const contextId = randomUUID();
      const said = async (step: string, debug: boolean): Promise<unknown> => {
        const metadata = { skillId: 'outward', ...(debug ? { [CONTEXT_EXTENSION]: context } : {}) };
        const message = {
          messageId: randomUUID(),
          role: 'ROLE_USER',
          contextId,
          parts: [{ data: { step } }],
          metadata,
        };
        const task = await rpc.task('SendMessage', { message });
        return [task.id, (task.artifacts?.[0]?.parts[0] as { data: object }).data];
      };
      const [id] = (await said('remember', true)) as [string];
      expect([await said('recall', false), await said('recall', true)]).toEqual([
        [expect.any(String), {}],
        [expect.any(String), { said: 'here' }],
      ]);
      const hook = await rpc.call('CreateTaskPushNotificationConfig', { taskId: id, url: 'https://1.1.1.1/hook' });
      expect(hook.error?.message).toContain('The task is simulated');
    });
  });

  describe('the first caller that a call names', () => {
    const context = { on_behalf_of: 'agent://ceo', relayed_by: 'agent://someone' };

    it('reaches another agent by a relay of the policy, with the verified client beside it (A5)', async () => {
      await run('checkout_agent', 'remote', { context });
      const { params } = JSON.parse(agent.requests[0]?.text ?? '{}') as {
        params: { message: { metadata: JsonObject } };
      };
      expect(params.message.metadata[CONTEXT_EXTENSION]).toEqual({
        on_behalf_of: 'agent://ceo',
        relayed_by: 'agent://checkout_agent',
      });
    });

    it.each(['audit_agent', 'fraud_detection_agent'])(
      'is not believed of %s, which is no relay (A5)',
      async (caller) => {
        const metadata = { skillId: 'report', [CONTEXT_EXTENSION]: context };
        const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ data: {} }], metadata };
        const task = await new RpcClient(running.url, headersOf(caller)).task('SendMessage', { message });
        expect(task.artifacts?.[0]?.parts[0]).toMatchObject({ data: { context: { caller: `agent://${caller}` } } });
        expect(JSON.stringify(task)).not.toContain('ceo');
      },
    );
  });

  describe('wanted scopes', () => {
    it('bound what the task of a call may do, not whether it may be sent, and the answer names those withheld (O-14, A20)', async () => {
      const rpc = new RpcClient(running.url, headersOf('audit_agent'));
      const sent = async (wanted: readonly string[]): Promise<Task> => {
        const metadata = { skillId: 'outward', [SCOPE_EXTENSION]: { wanted } };
        const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ data: { step: 'all' } }], metadata };
        return rpc.task('SendMessage', { message });
      };
      const narrow = await sent(['a2a:tasks.read', 'skill:pay']);
      expect(narrow.metadata?.[SCOPE_EXTENSION]).toEqual({ granted: ['a2a:tasks.read'], withheld: ['skill:pay'] });
      expect(narrow.artifacts?.[0]?.parts[0]).toMatchObject({
        data: { why: 'scope', text: expect.stringContaining('skill:report') },
      });
      // Its child may be called then, and what its policy refuses is refused as ever.
      expect((await sent(['skill:report'])).artifacts?.[0]?.parts[0]).toMatchObject({
        data: { why: 'scope', text: expect.stringContaining(OUTSIDE.remote) },
      });
      const { headers } = await run('audit_agent', 'none', { context: { permissions: ['skill:report', 'read:docs'] } });
      expect([headers.get('parley-granted-scopes'), headers.get('parley-withheld-scopes')]).toEqual([
        'skill:report',
        'read:docs',
      ]);
    });

    it('are what the skill of the message is judged by too (O-14)', async () => {
      const rpc = new RpcClient(running.url, headersOf('audit_agent'));
      const metadata = { skillId: 'report', [SCOPE_EXTENSION]: { wanted: [] } };
      const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ data: {} }], metadata };
      const { error } = await rpc.call('SendMessage', { message });
      expect(error?.message).toContain('skill:report');
    });
  });

  describe('memory that a caller lends', () => {
    const numRuns = Number(process.env.PARLEY_PROPERTY_RUNS ?? 12);
    const prefix = fc.constantFrom('summary.', 'secret.', 'payment.', 'x.');
    const name = fc.tuple(prefix, fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), minLength: 3, maxLength: 8 }));
    const keys = fc.uniqueArray(
      name.map(([head, tail]) => `${head}${tail}`),
      { minLength: 1, maxLength: 8 },
    );

    it(
      'reaches a child, a remote body, a log and a trace by declared keys only (O-10, O-11, O-78, F17)',
      async () => {
        await fc.assert(
          fc.asyncProperty(keys, async (lent) => {
            agent.requests.length = 0;
            lentKeys = lent;
            [log] = [''];
            spans.reset();
            const memory = Object.fromEntries(lent.map((key) => [key, `value-${randomUUID()}`]));
            const of = (start: string): JsonObject =>
              Object.fromEntries(Object.entries(memory).filter(([key]) => key.startsWith(start)));
            const context = { request_id: randomUUID(), trace_id: 'trace-7739a' };
            const { body } = await run('checkout_agent', 'all', { memory, context });
            const first = { caller: 'agent://checkout_agent', ...context };
            expect(body.outcome.said).toEqual({ memory: of('summary.'), context: first });
            const [sent] = agent.requests;
            const { params } = JSON.parse(sent?.text ?? '{}') as { params: { message: { metadata: JsonObject } } };
            const { caller: _service, ...gone } = first;
            const shown = Object.keys(of('summary.')).length === 0 ? {} : { memory: of('summary.') };
            expect(params.message.metadata[CONTEXT_EXTENSION]).toEqual({
              ...{ ...gone, on_behalf_of: 'agent://checkout_agent' },
              ...shown,
            });
            const elsewhere =
              log +
              JSON.stringify(
                spans.getFinishedSpans().map(({ name: of, attributes, events }) => [of, attributes, events]),
              );
            expect(elsewhere).toContain('remote:finance');
            const traces = new Set(
              spans.getFinishedSpans().flatMap((span) => {
                return span.attributes['a2a.task.id'] === undefined ? [] : [span.spanContext().traceId];
              }),
            );
            expect([...traces]).toEqual([sent?.headers.traceparent?.toString().split('-')[1]]);
            for (const [key, value] of Object.entries(memory)) {
              const isDeclared = key.startsWith('summary.');
              expect([key, sent?.text.includes(key), sent?.text.includes(value)]).toEqual([
                key,
                isDeclared,
                isDeclared,
              ]);
              expect([key, elsewhere.includes(key), elsewhere.includes(value)]).toEqual([key, false, false]);
            }
          }),
          { numRuns },
        );
        expect(readFileSync(join(folder, 'audit.log'), 'utf8')).not.toContain('value-');
      },
      30_000 + numRuns * 300,
    );
  });
});
