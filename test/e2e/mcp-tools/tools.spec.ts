import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { AgentCard } from '@parley/protocol/model/agent-card.js';
import type { Task } from '@parley/protocol/model/task.js';
import { agent } from '@parley/sdk/model/agent.js';
import type { ModelPort, ModelRequest } from '@parley/sdk/model/model.port.js';
import { mcp } from '@parley/sdk/model/other-tools.js';
import { artifact, type SkillEvent } from '@parley/sdk/skill/events.js';
import { Skill, type SkillContext, type SkillHandler } from '@parley/sdk/skill/skill.js';
import { pinOf } from '../../../src/mcp-tools/client/tool-definition.js';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { eventually } from '../../kit/run/eventually.js';
import { McpClient } from '../../kit/callers/mcp-client.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';
import { ECHO_TOOL, ToolServerStub } from '../../kit/mcp-tools/tool-server-stub.js';

const SLOW_TOOL = { ...ECHO_TOOL, name: 'slow' };
const KEY = 'caller.canary-0123456789-0123456789';
const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** Calls the tool that its message names. */
@Skill({
  id: 'caller',
  name: 'Caller',
  description: 'Calls a tool.',
  tags: ['test'],
  tools: { files: ['echo', 'slow'] },
})
class CallerSkill implements SkillHandler {
  async *run({ text, tools }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const result = await tools.call('files', text, { text: 'hello' });
    yield artifact('result', [{ data: result }]);
  }
}

/** A model is offered the tool by its pinned definition. */
const ToolAgent = agent({
  id: 'tool_agent',
  description: 'Lets a model call the tool.',
  instruction: 'Echo it.',
  tools: [mcp('files', 'echo')],
});

/** Calls the first tool, and then repeats its result. */
const OFFERED: ModelRequest[] = [];
const MODEL: ModelPort = {
  name: 'obeying',
  isLocal: true,
  complete: (request) => {
    OFFERED.push(request);
    const last = request.messages.at(-1);
    const isDone = last?.role === 'tool';
    const toolCalls = isDone ? [] : [{ id: '1', name: 'echo', arguments: { text: 'from a model' } }];
    const text = isDone ? last.text : '';
    return Promise.resolve({ text, toolCalls, usage: { input: 1, output: 1 }, finish: 'stop' });
  },
};

let stub: ToolServerStub;
let app: RunningApp;
let client: RpcClient;
let folder: string;

const begin = (text: string, metadata?: JsonObject): Promise<Task> => {
  const { message } = aMessage(text);
  const own = { ...message, metadata: { skillId: 'caller', ...metadata } };
  return client.task('SendMessage', { message: own, configuration: { returnImmediately: true } });
};

const settled = (id: string, state: string): Promise<Task> =>
  eventually(async () => {
    const task = await client.task('GetTask', { id });
    expect(task.status.state).toBe(`TASK_STATE_${state}`);
    return task;
  });

const text = (said: string): JsonObject => ({ resultType: 'complete', content: [{ type: 'text', text: said }] });

/** Answers the call of the slow tool with a task, and looks at it so. */
function aRemoteTask(...looks: readonly JsonObject[]): void {
  let at = 0;
  stub.answers.set('tools/call slow', { resultType: 'task', taskId: 'theirs', status: 'working', pollIntervalMs: 200 });
  stub.answers.set('tasks/get', () => ({ taskId: 'theirs', ...(looks[Math.min(at++, looks.length - 1)] ?? {}) }));
  stub.answers.set('tasks/update', { resultType: 'complete' });
  stub.answers.set('tasks/cancel', { resultType: 'complete' });
}

const methods = (): readonly string[] => stub.requests.map(({ method }) => method);

describe('tools of MCP servers', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-tools-'));
    stub = await new ToolServerStub().start();
    stub.tools = [ECHO_TOOL, SLOW_TOOL];
    const file = join(folder, 'servers.json');
    const { description, inputSchema } = ECHO_TOOL;
    const shown = { exposeAs: 'files_echo', definition: { description, inputSchema } };
    const tools = {
      echo: { pin: pinOf({ ...ECHO_TOOL }), ...shown },
      slow: { pin: pinOf({ ...SLOW_TOOL }), long: true },
    };
    await writeFile(file, JSON.stringify({ files: { url: stub.url, tools } }));
    const variables = {
      ...{ MCP: 'true', MCP_SERVERS_FILE: file, EGRESS_ALLOW: `${stub.host}=127.0.0.1/32!http` },
      API_KEYS: apiKeyEntry(KEY, { tenant: 'acme', scopes: 'a2a:message.send,a2a:tasks.read,a2a:tasks.cancel' }),
    };
    app = await runApp(variables, { skills: [CallerSkill, ToolAgent], model: { port: MODEL } });
    client = new RpcClient(app.url, { 'x-api-key': KEY, traceparent: TRACE });
  });

  afterAll(async () => {
    await app.close();
    await stub.stop();
    await rm(folder, { recursive: true, force: true });
  });

  beforeEach(() => {
    stub.requests.length = 0;
    stub.answers.clear();
  });

  it('SEED-62, MCP-STEP-9: are called by a skill, with the trace of its caller', async () => {
    const task = await begin('echo');
    const { artifacts } = await settled(task.id, 'COMPLETED');
    expect(artifacts?.[0]?.parts[0]).toMatchObject({ data: { text: '{"text":"hello"}', isError: false } });
    const { params, headers } = stub.requests.at(-1) ?? {};
    expect(params).toMatchObject({ name: 'echo', _meta: { traceparent: expect.stringContaining(TRACE.slice(3, 35)) } });
    expect(headers?.traceparent).toContain(TRACE.slice(3, 35));
  });

  it('are offered to a model, which reads their results and their errors (F5, LLM-06)', async () => {
    const task = await begin('Say it', { skillId: 'tool_agent' });
    const { artifacts } = await settled(task.id, 'COMPLETED');
    expect(JSON.stringify(artifacts)).toContain('from a model');
    const { description, inputSchema } = ECHO_TOOL;
    expect(OFFERED[0]?.tools).toEqual([{ name: 'echo', description, parameters: inputSchema }]);
    stub.answers.set('tools/call echo', { ...text('no such file'), isError: true });
    const failed = await begin('Say it', { skillId: 'tool_agent' });
    expect(JSON.stringify((await settled(failed.id, 'COMPLETED')).artifacts)).toContain('no such file');
  });

  it('MCP-BRIDGE-2: one that the operator shows is a skill for A2A and a tool for MCP, by its pinned schema', async () => {
    const card = (await (await fetch(`${app.url}/.well-known/agent-card.json`)).json()) as AgentCard;
    expect(card.skills.map(({ id, description }) => ({ id, description }))).toEqual([
      { id: 'caller', description: 'Calls a tool.' },
      { id: 'tool_agent', description: 'Lets a model call the tool.' },
      { id: 'files_echo', description: ECHO_TOOL.description },
    ]);
    const host = new McpClient(app.url, { 'x-api-key': KEY });
    const { tools } = (await host.result('tools/list')) as { tools: readonly { name: string; inputSchema: object }[] };
    expect(tools.find(({ name }) => name === 'files_echo')?.inputSchema).toEqual(ECHO_TOOL.inputSchema);
    expect(tools.map(({ name }) => name)).not.toContain('slow');

    expect(await host.call('files_echo', { text: 'by MCP' })).toMatchObject({
      content: [{ text: '{"text":"by MCP"}' }],
    });
    const parts = [{ data: { text: 'by A2A' } }];
    const message = { ...aMessage('').message, parts, metadata: { skillId: 'files_echo' } };
    const { artifacts } = await client.task('SendMessage', { message });
    expect(artifacts?.[0]?.parts).toEqual([{ text: '{"text":"by A2A"}' }]);
    expect(stub.requests.at(-1)?.params).toMatchObject({ arguments: { text: 'by A2A' }, _meta: { 'parley/hops': 7 } });
  });

  it('MCP-BRIDGE-2: what does not fit its pinned schema begins no task and no call', async () => {
    const host = new McpClient(app.url, { 'x-api-key': KEY });
    const refused = await host.call('files_echo', { words: 1 });
    expect(refused).toMatchObject({ isError: true });
    expect(refused._meta).toBeUndefined();
    const [{ text: faults } = { text: '' }] = refused.content as readonly { text: string }[];
    expect(faults.split('\n')).toEqual(expect.arrayContaining(['text: is missing', 'words: is not allowed']));
    expect(stub.calls).toEqual([]);
  });

  it('MCP-BRIDGE-2: its failure is that of the skill', async () => {
    stub.answers.set('tools/call', { ...text('No such file.'), isError: true });
    const host = new McpClient(app.url, { 'x-api-key': KEY });
    expect(await host.call('files_echo', { text: 'x' })).toMatchObject({
      isError: true,
      content: [{ text: 'No such file.' }],
    });
  });

  it('MCP-SEC-2, MCP-BRIDGE-3: get nothing of the credential of the caller', async () => {
    await settled((await begin('echo')).id, 'COMPLETED');
    const got = JSON.stringify(stub.requests);
    expect(got).toContain('tools/call');
    expect(got).not.toContain('canary');
  });

  it('MCP-WORK-4: a cancel of the task ends the call that is under way', async () => {
    let closed = false;
    stub.answers.set('tools/call', (_request, response) => {
      response.on('close', () => (closed = true));
      return undefined;
    });
    const { id } = await begin('echo');
    await eventually(() => expect(methods()).toContain('tools/call'));
    await client.task('CancelTask', { id });
    await settled(id, 'CANCELED');
    await eventually(() => expect(closed).toBe(true));
  });

  it('MCP-STEP-5: a long one is a task, which is looked at until it is done', async () => {
    aRemoteTask({ status: 'working', statusMessage: 'half' }, { status: 'completed', result: text('at last') });
    const { artifacts } = await settled((await begin('slow')).id, 'COMPLETED');
    expect(artifacts?.[0]?.parts[0]).toMatchObject({ data: { text: 'at last' } });
    expect(stub.calls).toEqual(['slow']);
  });

  it('MCP-STEP-5, MCP-WORK-4: the cancel of a task that waits for a long one reaches it', async () => {
    aRemoteTask({ status: 'working' });
    const { id } = await begin('slow');
    await eventually(() => expect(methods()).toContain('tasks/get'));
    await client.task('CancelTask', { id });
    await eventually(() => expect(methods()).toContain('tasks/cancel'));
    expect(stub.requests.find(({ method }) => method === 'tasks/cancel')?.params).toMatchObject({ taskId: 'theirs' });
  });

  it('MCP-STEP-6: what a long one asks is asked of the caller, and the answer goes to its task', async () => {
    const schema = { type: 'object', properties: { sure: { type: 'boolean' } }, required: ['sure'] };
    const request = {
      method: 'elicitation/create',
      params: { mode: 'form', message: 'Sure?', requestedSchema: schema },
    };
    aRemoteTask(
      { status: 'input_required', inputRequests: { q: request } },
      { status: 'completed', result: text('done') },
    );
    const { id } = await begin('slow');
    const asking = await settled(id, 'INPUT_REQUIRED');
    expect(JSON.stringify(asking.status.message)).toContain('files: Sure?');
    const message = { ...aMessage('').message, parts: [{ data: { sure: true } }], taskId: id };
    await client.task('SendMessage', { message });
    await settled(id, 'COMPLETED');
    const update = stub.requests.find(({ method }) => method === 'tasks/update');
    expect(update?.params).toMatchObject({ inputResponses: { q: { action: 'accept', content: { sure: true } } } });
  });

  it('MCP-SEC-15: services that call each other over any door end at the limit of hops', async () => {
    let calls = 0;
    stub.answers.set('tools/call', async ({ params }) => {
      calls += 1;
      const meta = params._meta as JsonObject;
      const protocol = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      };
      const response = await fetch(`${app.url}/mcp`, {
        method: 'POST',
        headers: {
          ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'x-api-key': KEY },
          ...{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'caller' },
        },
        body: JSON.stringify({
          ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
          params: {
            name: 'caller',
            arguments: { text: 'echo' },
            _meta: { ...protocol, 'parley/hops': meta['parley/hops'] },
          },
        }),
      });
      const body = await response.text();
      const { result } = JSON.parse(body.replace(/^[^{]*/, '')) as { readonly result: JsonObject };
      return result;
    });
    const task = await begin('echo');
    await settled(task.id, 'COMPLETED');
    expect(calls).toBe(8);
  });
});
