import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IsOptional, IsString } from 'class-validator';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PinoLogger } from '../../../src/platform/logging/pino.logger.js';
import { CONTEXT_EXTENSION } from '@parley/protocol/extension/context-extension.js';
import { remote } from '@parley/sdk/skill/calls/remote.js';
import { artifact, type SkillEvent } from '@parley/sdk/skill/events.js';
import { Skill, type SkillContext, type SkillHandler } from '@parley/sdk/skill/skill.js';
import { pinOf } from '../../../src/mcp-tools/client/tool-definition.js';
import { AgentStub } from '../../kit/stubs/agent-stub.js';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { EVERY_WAY } from '../../kit/callers/every-way.js';
import { WireClient } from '../../kit/callers/wire-client.js';
import { eventually } from '../../kit/run/eventually.js';
import { McpClient } from '../../kit/callers/mcp-client.js';
import { RestClient } from '../../kit/callers/rest-client.js';
import { RpcClient } from '../../kit/callers/rpc-client.js';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';
import { settingsFile } from '../../kit/app/settings-file.js';
import { ECHO_TOOL, ToolServerStub } from '../../kit/mcp-tools/tool-server-stub.js';

const card = {
  name: 'Test',
  description: 'For tests.',
  tags: ['test'],
  inputModes: ['text/plain', 'application/json'],
};

/** Tasks that have broken once. */
const BROKEN = new Set<string>();

/** Says, calls, publishes and breaks once: each kind of line that a run writes. */
async function* work(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
  const { taskId, log, call, tools, publish } = context;
  if (!BROKEN.has(taskId)) {
    BROKEN.add(taskId);
    throw new Error('broke once');
  }
  log.info('at work');
  await call('heard', 'listen');
  await call(remote('elsewhere'), 'hello');
  await tools.call('files', 'echo', { text: 'x' });
  publish('test.done', { done: true });
  yield artifact('result', [{ text: 'done' }]);
}

const busy = { ...card, maxAttempts: 2, tools: { files: ['echo'] } };

@Skill({ ...busy, id: 'busy' })
class BusySkill implements SkillHandler {
  run(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    return work(context);
  }
}

class Order {
  @IsOptional()
  @IsString()
  readonly text?: string;
}

/** The same with a contract, as /run and MCP call it. */
@Skill({ ...busy, id: 'ordered', inputModes: ['application/json'], input: Order })
class OrderedSkill implements SkillHandler {
  run(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    return work(context);
  }
}

@Skill({ ...card, id: 'heard', on: ['test.*'] })
class HeardSkill implements SkillHandler {
  async *run({ log }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    await Promise.resolve();
    log.info('heard it');
    yield artifact('result', [{ text: 'heard' }]);
  }
}

@Skill({ ...card, id: 'at_once', direct: true })
class AtOnceSkill implements SkillHandler {
  // eslint-disable-next-line require-yield
  async *run({ log }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    await Promise.resolve();
    log.info('at once');
    throw new Error('broke at once');
  }
}

type Line = Readonly<Record<string, unknown>> & { readonly event: string };
interface Written {
  readonly text: string;
  readonly line: Line;
}

/** Lines about the process, its storage and its queues: no call is behind them. */
const OF_PROCESS =
  /^(?:service|redis|ready|queue|worker|remote\.ready|registry|auth|config|limit|sweep\.failed|run\.poll-failed|slots)\b/;
/** How long the lines of a call may take on a busy machine. */
const PATIENT = { timeoutMs: 20_000 };
/** A run without a caller's line could not be found by any of these. */
const RUN_LINES = ['skill.said', 'skill.ran', 'skill.broke', 'run.taken-over', 'agent.called', 'tool.called'];

const CALLER = { tenant: 'acme', client: 'till', caller: 'agent://till' };
const KEY = { 'x-api-key': 'till.secret' };

let running: RunningApp;
let wire: WireClient;
let receiver: Server;
let agent: AgentStub;
let tools: ToolServerStub;
let folder: string;
const lines: Written[] = [];
/** Lines of the start. */
let started = 0;

/** Lines in which a text is. */
const with_ = (text: string): readonly Line[] => lines.flatMap((it) => (it.text.includes(text) ? [it.line] : []));

const hookHost = (): string => `127.0.0.1:${String((receiver.address() as AddressInfo).port)}`;

/** A call's own names, as headers and as its lines have them. */
function names(): { readonly headers: Record<string, string>; readonly fields: Record<string, string> } {
  const [request_id, trace_id] = [`req-${randomUUID()}`, randomUUID().replaceAll('-', '')];
  const traceparent = `00-${trace_id}-0123456789abcdef-01`;
  return { headers: { ...KEY, 'x-request-id': request_id, traceparent }, fields: { ...CALLER, request_id, trace_id } };
}

/** Waits for the lines of a call's task and its children, and expects the names of the call in each. */
async function expectNamed(fields: Readonly<Record<string, string>>, kinds: readonly string[]): Promise<void> {
  const own = await eventually(() => {
    const found = with_(fields.request_id ?? '');
    const events = found.map(({ event }) => event);
    expect(events).toEqual(expect.arrayContaining([...kinds]));
    // The event that was handed on has a task, which ends too.
    const tasks = found.filter(({ event, skill }) => event === 'skill.ran' && skill === 'heard');
    if (kinds.includes('event.handed-on')) expect(tasks.length).toBeGreaterThan(1);
    return found;
  }, PATIENT);
  const ids = own.flatMap(({ taskId }) => (typeof taskId === 'string' ? [taskId] : []));
  const isNamed = (line: Line): boolean =>
    OF_PROCESS.test(line.event) || Object.entries(fields).every(([name, value]) => line[name] === value);
  expect([...own, ...ids.flatMap(with_)].filter((line) => !isNamed(line))).toEqual([]);
}

const SENDS = EVERY_WAY.flatMap(({ name, calls }) =>
  (['SendMessage', 'SendStreamingMessage', 'GetTask', 'CancelTask'] as const).flatMap((operation) => {
    const call = calls[operation];
    return call === undefined ? [] : [{ name, operation, call }];
  }),
);

/** Makes one call, and expects its names in all of its lines. */
async function namesItself({ operation, call }: (typeof SENDS)[number]): Promise<void> {
  const { headers, fields } = names();
  const isSend = operation.startsWith('Send');
  const messageId = randomUUID();
  const subject = { taskId: isSend ? '' : randomUUID(), configId: 'c', messageId };
  await wire.call(call(subject), headers);
  await eventually(() => {
    expect(with_(fields.request_id ?? '').some(({ event }) => event.endsWith('.handled'))).toBe(true);
  }, PATIENT);
  await expectNamed(fields, isSend ? [...RUN_LINES, 'event.handed-on'] : []);
}

describe('every line of a call names its trace, its request and its caller (S8)', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'call-lines-'));
    [agent, tools] = await Promise.all([new AgentStub().start(), new ToolServerStub().start()]);
    let refusals = 1;
    receiver = createServer((request, response) => {
      request.resume();
      response.statusCode = refusals-- > 0 ? 503 : 204;
      response.end();
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const files = {
      AGENTS_FILE: { elsewhere: { card: agent.url, mode: 'poll' } },
      MCP_SERVERS_FILE: { files: { url: tools.url, tools: { echo: { pin: pinOf({ ...ECHO_TOOL }) } } } },
    };
    const named = Object.entries(files).map(([name, value]) => {
      writeFileSync(join(folder, name), JSON.stringify(value));
      return [name, join(folder, name)] as const;
    });
    const hosts = [agent.host, tools.host, hookHost()];
    const write = (text: string): void => void lines.push({ text, line: JSON.parse(text) as Line });
    running = await runApp(
      {
        ...Object.fromEntries(named),
        ...{
          GRPC_PORT: '0',
          MCP: 'true',
          DEFAULT_SKILL: 'busy',
          BLOCKING_MS: '20000',
          PARLEY_FILE: settingsFile({ mcp: { waitMs: 20000 } }),
        },
        API_KEYS: apiKeyEntry('till.secret', {
          tenant: 'acme',
          client: 'till',
          scopes: 'a2a:message.send a2a:tasks.read a2a:tasks.cancel a2a:push.write',
        }),
        EGRESS_ALLOW: hosts.map((host) => `${host}=127.0.0.1/32!http`).join(';'),
      },
      { skills: [BusySkill, OrderedSkill, HeardSkill, AtOnceSkill] },
      new PinoLogger('debug', { write }),
    );
    wire = new WireClient(running.url, running.grpc ?? '');
    started = lines.length;
  });

  afterAll(async () => {
    wire.close();
    await running.close();
    await Promise.all([agent.stop(), tools.stop(), new Promise((resolve) => receiver.close(resolve))]);
    rmSync(folder, { recursive: true });
  });

  describe('also while many calls are handled at once', () => {
    let outcomes: readonly PromiseSettledResult<void>[];
    beforeAll(async () => {
      outcomes = await Promise.allSettled(SENDS.map(namesItself));
    });

    it.each(SENDS.map(({ operation, name }, at) => ({ operation, name, at })))(
      '$operation by $name, from the call to the last line of its runs',
      ({ at }) => {
        expect(outcomes[at]).toEqual({ status: 'fulfilled', value: undefined });
      },
    );
  });

  it('webhook attempts, also one that is repeated', async () => {
    const { headers, fields } = names();
    const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'go' }] };
    const taskPushNotificationConfig = { url: `http://${hookHost()}/` };
    await new RpcClient(running.url, headers).task('SendMessage', {
      message,
      configuration: { taskPushNotificationConfig },
    });
    await expectNamed(fields, [...RUN_LINES, 'push.attempted']);
    await eventually(() => {
      const outcomes = with_(fields.request_id ?? '').map(({ outcome }) => outcome);
      expect(outcomes).toEqual(expect.arrayContaining(['retry', 'delivered']));
    }, PATIENT);
    await expectNamed(fields, ['push.attempted']);
  });

  it('calls of /run and of MCP', async () => {
    const run = names();
    const answer = await new RestClient(running.url, run.headers).call(
      'POST',
      '/run',
      { intent: 'ordered', inputs: {} },
      { 'content-type': 'application/json' },
    );
    expect(answer).toMatchObject({ status: 200 });
    await expectNamed(run.fields, ['rest.handled', ...RUN_LINES]);
    const mcp = names();
    await new McpClient(running.url, mcp.headers).request('tools/call', { name: 'ordered', arguments: { text: 'go' } });
    await expectNamed(mcp.fields, ['mcp.handled', ...RUN_LINES]);
  });

  it('names that the context object of a message states go before those of headers', async () => {
    const { headers } = names();
    const [request_id, trace_id] = [`own-${randomUUID()}`, `trace-${randomUUID()}`];
    const metadata = { [CONTEXT_EXTENSION]: { request_id, trace_id } };
    const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'go' }], metadata };
    await new RpcClient(running.url, headers).task('SendMessage', { message });
    await expectNamed({ ...CALLER, request_id, trace_id }, ['rpc.handled', ...RUN_LINES]);
  });

  it('a call without a trace is one by the name of its request, and a failed direct skill is no other', async () => {
    const request_id = `req-${randomUUID()}`;
    const rpc = new RpcClient(running.url, { ...KEY, 'x-request-id': request_id });
    const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'go' }] };
    await rpc.call('SendMessage', { message: { ...message, metadata: { skillId: 'at_once' } } });
    await expectNamed({ ...CALLER, request_id, trace_id: request_id }, ['rpc.handled', 'skill.said', 'unexpected']);
  });

  it('and no line of this service is without them, but those about the process', () => {
    const lacking = lines
      .slice(started)
      .filter(({ line }) => !OF_PROCESS.test(line.event))
      .filter(({ line }) => !('trace_id' in line && 'request_id' in line && 'caller' in line));
    expect(lacking).toEqual([]);
  });
});
