import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { context, SpanKind, trace } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Task } from '@parley/protocol/model/task.js';
import { converse } from '@parley/sdk/model/converse.js';
import { Model } from '@parley/sdk/model/model.js';
import { remote } from '@parley/sdk/skill/calls/remote.js';
import { completed, type SkillEvent } from '@parley/sdk/skill/events.js';
import { Skill, type SkillContext, type SkillHandler } from '@parley/sdk/skill/skill.js';
import { pinOf } from '../../../src/mcp-tools/client/tool-definition.js';
import { MAX_CONTENT, recordGenAi } from '../../../src/platform/tracing/gen-ai.js';
import { recordSpans } from '../../../src/platform/tracing/traced.js';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { ECHO_TOOL, ToolServerStub } from '../../kit/mcp-tools/tool-server-stub.js';
import { eventually } from '../../kit/run/eventually.js';
import { AgentStub } from '../../kit/stubs/agent-stub.js';
import { OpenAiStub } from '../../kit/stubs/openai-stub.js';

const CANARY = `canary-${randomUUID()}`;
const SECRET = 'sk-proj-0123456789abcdef0123456789';
const ECHO = { ...ECHO_TOOL, inputSchema: { type: 'object' } };
const shown = { description: 'For tests', tags: [], maxAttempts: 1 };

@Skill({ ...shown, id: 'leaf', name: 'Leaf' })
class LeafSkill implements SkillHandler {
  async *run(): AsyncGenerator<SkillEvent, void, void> {
    await Promise.resolve();
    yield completed('leaf');
  }
}

/** A tree with a tool, an agent of another service, a child and a model. */
@Skill({ ...shown, id: 'planner', name: 'Planner', version: 3, tools: { files: ['echo'] } })
class PlannerSkill implements SkillHandler {
  constructor(private readonly model: Model) {}

  async *run(run: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    await run.tools.call('files', 'echo', { text: run.text, password: CANARY });
    await run.call(remote('finance'), run.text);
    await run.call('leaf', run.text);
    yield* converse(run, this.model, { instruction: 'Be short.', tools: [] });
  }
}

describe('spans of agents, tools and models', () => {
  const spans = new InMemorySpanExporter();
  let folder: string;
  let tools: ToolServerStub;
  let agent: AgentStub;
  let model: OpenAiStub;
  let running: RunningApp;

  beforeAll(async () => {
    new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }).register();
    recordSpans(true);
    folder = mkdtempSync(join(tmpdir(), 'gen-ai-'));
    [tools, agent, model] = await Promise.all([
      new ToolServerStub().start(),
      new AgentStub().start(),
      OpenAiStub.start(),
    ]);
    tools.tools = [ECHO];
    const [agents, servers] = [join(folder, 'agents.json'), join(folder, 'servers.json')];
    writeFileSync(agents, JSON.stringify({ finance: { card: agent.url } }));
    writeFileSync(servers, JSON.stringify({ files: { url: tools.url, tools: { echo: { pin: pinOf(ECHO) } } } }));
    running = await runApp(
      {
        ...{ MCP_SERVERS_FILE: servers, AGENTS_FILE: agents, DEFAULT_SKILL: 'planner' },
        ...{ MODEL_URL: model.url, MODEL_NAME: 'stub-1', MODEL_KEY: 'secret' },
        EGRESS_ALLOW: [tools, agent].map(({ host }) => `${host}=127.0.0.1/32!http`).join(';'),
      },
      { skills: [PlannerSkill, LeafSkill] },
    );
  });
  beforeEach(() => {
    spans.reset();
  });
  afterEach(() => {
    recordGenAi(undefined);
  });
  afterAll(async () => {
    await running.close();
    await Promise.all([tools.stop(), agent.stop(), model.close()]);
    recordSpans(false);
    trace.disable();
    context.disable();
    rmSync(folder, { recursive: true });
  });

  /** One call with all of them, and its spans. */
  async function planned(text = CANARY): Promise<{ readonly task: Task; readonly made: readonly ReadableSpan[] }> {
    model.script({ text: `${CANARY} and ${SECRET}` });
    const client = new RpcClient(running.url);
    const begun = await client.task('SendMessage', aMessage(text));
    const task = await eventually(
      async () => {
        const now = await client.task('GetTask', { id: begun.id });
        expect([now.status.state, now.status.message?.parts]).toEqual(['TASK_STATE_COMPLETED', undefined]);
        return now;
      },
      { timeoutMs: 20_000 },
    );
    await eventually(() => expect(spans.getFinishedSpans().some(({ name }) => name === 'chat stub-1')).toBe(true));
    await eventually(() =>
      expect(spans.getFinishedSpans().filter(({ name }) => name === 'process runs').length).toBeGreaterThan(2),
    );
    return { task, made: spans.getFinishedSpans() };
  }

  const genAiOf = (made: readonly ReadableSpan[]): readonly string[] =>
    made.flatMap(({ name, attributes }) =>
      Object.keys(attributes)
        .filter((key) => /^(gen_ai|session|a2a.context)/.test(key) && name !== 'process runs')
        .map((key) => `${name} ${key}`),
    );
  const only = (made: readonly ReadableSpan[], name: string, kind: SpanKind): ReadableSpan => {
    const [first] = made.filter((span) => span.name === name && span.kind === kind);
    if (first === undefined) throw new Error(`no span is named ${name}: ${made.map((span) => span.name).join(', ')}`);
    return first;
  };
  const textOf = (made: readonly ReadableSpan[]): string =>
    JSON.stringify(made.map(({ name, attributes, events, status }) => ({ name, attributes, events, status })));

  it('have not one attribute more while the conventions are off (FITS-13)', async () => {
    const { made } = await planned();
    const chat = [
      'operation.name',
      'request.model',
      'request.max_tokens',
      'usage.input_tokens',
      'usage.output_tokens',
      'response.finish_reasons',
    ];
    const before = [...chat.map((one) => `chat stub-1 gen_ai.${one}`), 'tools/call echo gen_ai.tool.name'];
    expect(genAiOf(made).filter((one) => !before.includes(one))).toEqual([]);
    expect(made.filter(({ name }) => /invoke_agent|execute_tool/.test(name))).toEqual([]);
    expect(textOf(made)).not.toContain(CANARY);
  });

  it('have the attributes of the conventions for a tree with a tool, a model, a child and another agent, and no content (FITS-13)', async () => {
    recordGenAi({ contentOf: ['somebody-else'] });
    const { task, made } = await planned();
    const conversation = {
      ...{ 'gen_ai.conversation.id': task.contextId, 'session.id': task.contextId },
      ...{ 'a2a.task.id': task.id, 'a2a.context.id': task.contextId },
    };
    const root = { 'gen_ai.agent.id': 'planner', 'gen_ai.agent.name': 'Planner', 'gen_ai.agent.version': '3' };
    const invoke = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.provider.name': 'parley' };
    expect(only(made, 'invoke_agent Planner', SpanKind.INTERNAL).attributes).toEqual({
      ...invoke,
      ...root,
      ...conversation,
    });
    expect(only(made, 'execute_tool echo', SpanKind.CLIENT).attributes).toEqual({
      ...{
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'echo',
        'gen_ai.tool.call.id': expect.any(String),
      },
      ...{ 'mcp.method.name': 'tools/call', 'mcp.server.name': 'files', ...conversation },
    });
    expect(only(made, 'chat stub-1', SpanKind.CLIENT).attributes).toEqual({
      ...{ 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'openai', 'gen_ai.request.model': 'stub-1' },
      'gen_ai.response.model': 'stub-1',
      ...{
        'gen_ai.usage.input_tokens': 11,
        'gen_ai.usage.output_tokens': 7,
        'gen_ai.response.finish_reasons': ['stop'],
      },
      ...conversation,
    });
    const child = only(made, 'invoke_agent Leaf', SpanKind.INTERNAL).attributes;
    expect(child).toMatchObject({ ...invoke, 'gen_ai.agent.id': 'leaf', 'gen_ai.conversation.id': task.contextId });
    const other = only(made, 'invoke_agent finance', SpanKind.CLIENT).attributes;
    expect(other).toMatchObject({
      ...invoke,
      'gen_ai.provider.name': 'a2a',
      'gen_ai.agent.name': 'finance',
      'gen_ai.conversation.id': task.contextId,
    });
    // Usage above `chat` is counted twice by those who sum it.
    expect(
      made.filter(({ name, attributes }) => !name.startsWith('chat ') && 'gen_ai.usage.input_tokens' in attributes),
    ).toEqual([]);
    expect(textOf(made)).not.toContain(CANARY);
  });

  it('have content only where the operator wants it for the tenant, masked and bounded (FITS-13)', async () => {
    recordGenAi({ contentOf: ['default'] });
    const { made } = await planned(`${CANARY} Bearer abcdefghijklmnop ${'x'.repeat(100_000)}`);
    const chat = only(made, 'chat stub-1', SpanKind.CLIENT).attributes;
    const prompts = JSON.parse(String(chat['gen_ai.input.messages'])) as object[];
    expect(JSON.stringify(prompts)).toContain(`${CANARY} [Redacted] xxx`);
    expect(prompts.at(0)).toEqual({ role: 'system', parts: [{ type: 'text', content: 'Be short.' }] });
    expect(JSON.parse(String(chat['gen_ai.output.messages']))).toEqual([
      { role: 'assistant', parts: [{ type: 'text', content: `${CANARY} and [Redacted]` }], finish_reason: 'stop' },
    ]);
    const tool = only(made, 'execute_tool echo', SpanKind.CLIENT).attributes;
    expect(JSON.parse(String(tool['gen_ai.tool.call.arguments']))).toMatchObject({
      password: '[Redacted]',
      text: expect.stringContaining(CANARY),
    });
    expect(String(tool['gen_ai.tool.call.result'])).toContain(CANARY);
    for (const text of [chat['gen_ai.input.messages'], tool['gen_ai.tool.call.arguments']]) {
      expect(String(text).length).toBeLessThan(3 * MAX_CONTENT.text);
    }
    expect([textOf(made).includes(SECRET), textOf(made).includes('abcdefghijklmnop')]).toEqual([false, false]);
  });
});
