import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { fromJson, toBinary } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { Pool } from 'undici';
import { isOperationName, type ListTasksResponse, STREAMS } from '@parley/protocol/model/operations.js';
import { completed, type SkillEvent } from '@parley/sdk/skill/events.js';
import { Skill, type SkillContext, type SkillHandler } from '@parley/sdk/skill/skill.js';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';
import { settingsFile } from '../../kit/app/settings-file.js';
import { EVERY_WAY, type GrpcCall, type HttpCall } from '../../kit/callers/every-way.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { type Changed, changesOf } from '../../kit/hostile/call-changes.js';
import { LIVE_CALLS, type LiveCall } from '../../kit/hostile/live-calls.js';
import { rawChanges } from '../../kit/hostile/raw-proto.js';
import { MCP_SKILLS } from '../mcp/skills.js';

jest.setTimeout(120_000);

/** `SEED=… npm run jest …` repeats a run. */
const seed = Number(process.env.SEED ?? randomInt(2 ** 31));
const AT_ONCE = 12;
/** Requests of each call. */
const REQUESTS = 10;
const PATIENCE_MS = 10_000;

const KEY = 'caller.secret-of-the-caller';
const SCOPES = [
  ...['message.send', 'tasks.read', 'tasks.cancel', 'push.write', 'push.read', 'card.extended', 'webhooks.operate'],
  ...['tasks.observe', 'tasks.operate', 'approvals.answer', 'platform.observe', 'agents.try'],
  ...['registry.read', 'registry.register', 'registry.curate'],
].map((scope) => `a2a:${scope}`);

/** Takes anything and repeats its text. */
@Skill({ id: 'echoing', name: 'Echoing', description: 'Repeats.', tags: [], inputModes: ['*/*'] })
class EchoingSkill implements SkillHandler {
  async *run({ text }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    yield completed(text);
  }
}

let running: RunningApp;
let pool: Pool;
let ids: Readonly<Record<string, string>>;

async function taskOf(skillId: string): Promise<string> {
  const client = new RpcClient(running.url, { 'x-api-key': KEY });
  const task = await client.task('SendMessage', aMessage('x', { skillId }));
  return task.id;
}

/** With the ids that it asks for; each request has new ones of its own. */
function filled(text: string): string {
  return text.replaceAll(/(?:\$|%24)(new|task|asking)/g, (_all, name: string) => ids[name] ?? randomUUID());
}

function chosen<T>(all: readonly T[]): readonly T[] {
  const count = Math.min(REQUESTS, all.length);
  const some = fc.shuffledSubarray([...all], { minLength: count, maxLength: count });
  return fc.sample(some, { seed, numRuns: 1 })[0] ?? [];
}

interface Answer {
  readonly status: number;
  /** Empty for a stream that goes on. */
  readonly text: string;
}

async function answerTo(call: LiveCall, path: string, body: unknown): Promise<Answer> {
  const response = await pool.request({
    ...{ method: call.method, path: filled(path) },
    headers: { 'content-type': 'application/json', 'x-api-key': KEY, ...call.headers?.(body) },
    ...(body === undefined ? {} : { body: filled(JSON.stringify(body)) }),
    bodyTimeout: PATIENCE_MS,
  });
  const isEndless = /feed|events|mcp/.test(path) && String(response.headers['content-type']).includes('event-stream');
  if (!isEndless) return { status: response.statusCode, text: await response.body.text() };
  response.body.on('error', () => undefined).destroy();
  return { status: response.statusCode, text: '' };
}

/** What is wrong with the answer to a changed call; undefined where nothing is. */
async function faultOf({ call, names, shown, path, body }: Changed): Promise<string | undefined> {
  const { status: code, text } = await answerTo(call, path, body);
  const line = `${call.name}: ${shown} → ${String(code)} ${text.slice(0, 400)}`;
  if (code >= 500 || /-32603|INTERNAL|Internal error|node_modules/.test(text)) return line;
  if (!/INVALID_PARAMS|InvalidParams|Invalid parameters/.test(text)) return undefined;
  // Other protocols have other names for members of 1.0, and a refusal of the call as it was is none of the change.
  const own = names.filter((name) => name !== call.below);
  const isNamed = call.isOlder === true || own.length === 0 || own.some((name) => text.includes(name));
  return isNamed || messageIn(text) === soundMessages.get(call) ? undefined : `no name: ${line}`;
}

function messageIn(text: string): string | undefined {
  return /"message":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1];
}

/** What each call is refused with as it is. */
const soundMessages = new Map<LiveCall, string | undefined>();

async function soundFault(call: LiveCall): Promise<string | undefined> {
  const query = Object.entries(call.query ?? {}).map((pair) =>
    pair.map((one) => encodeURIComponent(filled(one))).join('='),
  );
  const { status: code, text } = await answerTo(call, `${call.path}?${query.join('&')}`, call.body);
  soundMessages.set(call, messageIn(text));
  return code >= 500 || text.includes('-32603') ? `${call.name} → ${text}` : undefined;
}

/** Runs all, some at once. */
async function faultsOf<T>(
  all: readonly T[],
  judge: (one: T) => Promise<string | undefined>,
): Promise<readonly string[]> {
  const faults: string[] = [];
  const open = [...all];
  const work = async (): Promise<void> => {
    for (let one = open.pop(); one !== undefined; one = open.pop()) {
      const fault = await judge(one).catch(
        (error: unknown) => `${JSON.stringify(one).slice(0, 300)}: ${String(error)}`,
      );
      if (fault !== undefined) faults.push(fault);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return faults;
}

/** The gRPC calls of both versions, as bytes. */
function grpcCalls(): readonly GrpcBytes[] {
  const calls = EVERY_WAY.flatMap(({ calls }) =>
    Object.keys(STREAMS)
      .filter(isOperationName)
      .flatMap(
        (name) => calls[name]?.({ taskId: ids.task ?? '', contextId: 'c', configId: 'w', messageId: 'm-1' }) ?? [],
      ),
  ).flatMap((call) => ('grpc' in call ? [call.grpc] : []));
  return calls.flatMap((call) => {
    const message = { ...(call.message as object), ...(call.name.startsWith('Send') ? EXTRAS : {}) };
    const sound = bytesOf({ ...call, message });
    return chosen(rawChanges(sound.bytes)).map((bytes) => ({ ...sound, bytes }));
  });
}

function bytesOf({ service, name, message }: GrpcCall): GrpcBytes {
  const method = service.methods.find((one) => one.name === name);
  if (method === undefined) throw new Error(`No method ${name}`);
  const { input, methodKind } = method;
  const isStream = methodKind === 'server_streaming';
  return { path: `/${service.typeName}/${name}`, isStream, bytes: toBinary(input, fromJson(input, message)) };
}

/** Some of the tasks that the calls have left. */
async function someTasks(): Promise<readonly string[]> {
  const client = new RpcClient(running.url, { 'x-api-key': KEY });
  const found: string[] = [];
  let pageToken = '';
  do {
    const { result } = await client.call('ListTasks', { pageSize: 100, pageToken, includeArtifacts: true });
    const { tasks, nextPageToken } = result as unknown as ListTasksResponse;
    found.push(...tasks.map(({ id }) => id));
    pageToken = nextPageToken;
  } while (pageToken !== '');
  return [...chosen(found), ...found.slice(0, 75)];
}

async function readingFault({ method, path, version, body }: HttpCall): Promise<string | undefined> {
  const headers = { 'content-type': 'application/json', 'x-api-key': KEY };
  const response = await pool.request({
    ...{ method, path, headers: version === undefined ? headers : { ...headers, 'a2a-version': version } },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.body.text();
  const isRead = response.statusCode === 200 && !text.includes('"error":');
  return isRead ? undefined : `${path} ${body ?? ''} → ${text.slice(0, 400)}`;
}

/** What each call that sends has besides its message. */
const EXTRAS = {
  metadata: { a: [1, null, { b: 'c' }] },
  configuration: { acceptedOutputModes: ['text/plain'], historyLength: 3 },
};

interface GrpcBytes {
  readonly path: string;
  readonly isStream: boolean;
  readonly bytes: Uint8Array;
}

const BAD = [status.INTERNAL, status.UNKNOWN, status.UNAVAILABLE, status.DEADLINE_EXCEEDED];

/** What is wrong with the status of a call. */
async function grpcFaultOf(
  client: Client,
  { path, isStream, bytes }: GrpcBytes,
  isRight = (code: status): boolean => !BAD.includes(code),
): Promise<string | undefined> {
  const metadata = new Metadata();
  metadata.set('x-api-key', KEY);
  if (path.startsWith('/lf.')) metadata.set('a2a-version', '1.0');
  const options = { deadline: Date.now() + PATIENCE_MS };
  const write = (message: Uint8Array): Buffer => Buffer.from(message);
  const read = (message: Buffer): Buffer => message;
  const error = await new Promise<ServiceError | undefined>((resolve) => {
    if (isStream) {
      const stream = client.makeServerStreamRequest(path, write, read, bytes, metadata, options);
      stream
        .on('error', (fault: ServiceError) => resolve(fault))
        .on('end', () => resolve(undefined))
        .resume();
    } else client.makeUnaryRequest(path, write, read, bytes, metadata, options, (fault) => resolve(fault ?? undefined));
  });
  return !isRight(error?.code ?? status.OK)
    ? `${path} ${Buffer.from(bytes).toString('hex').slice(0, 400)} → ${String(error)}`
    : undefined;
}

describe('a call with a value of another kind at any position', () => {
  beforeAll(async () => {
    const plenty = '100000000/100000000';
    running = await runApp(
      {
        ...{ MCP: 'true', REGISTRY: 'true', CONSOLE: 'on', GRPC_PORT: '0', DEFAULT_SKILL: 'echoing' },
        PARLEY_FILE: settingsFile({ mcp: { taskAfterMs: 150, waitMs: 200 } }),
        SECRET_KEYS: `k:${randomBytes(32).toString('base64')}`,
        API_KEYS: apiKeyEntry(KEY, { tenant: 'acme', scopes: SCOPES.join(' ') }),
        ...{ RATE_FAILURE: plenty, RATE_ADDRESS: plenty, RATE_READ: plenty, RATE_WRITE: plenty },
      },
      { skills: [EchoingSkill, ...MCP_SKILLS] },
    );
    pool = new Pool(running.url, { connections: AT_ONCE, pipelining: 1, headersTimeout: PATIENCE_MS });
    ids = { task: await taskOf('echoing'), asking: await taskOf('asking') };
  });

  afterAll(async () => {
    await pool.destroy();
    await running.close();
  });

  it('is answered over HTTP by a result or by a refusal that names the member (B3, A2A-SEND-13)', async () => {
    const faults = [
      ...(await faultsOf(LIVE_CALLS, soundFault)),
      ...(await faultsOf(
        LIVE_CALLS.flatMap((call) => chosen(changesOf(call))),
        faultOf,
      )),
    ];
    expect({ seed, faults }).toEqual({ seed, faults: [] });
  });

  it('is answered over gRPC by a result or by a refusal, whatever the bytes (B3)', async () => {
    const client = new Client(running.grpc ?? '', credentials.createInsecure());
    const faults = await faultsOf(grpcCalls(), (call) => grpcFaultOf(client, call));
    client.close();
    expect({ seed, faults }).toEqual({ seed, faults: [] });
  });

  it('leaves tasks that every binding reads, and a service that works (B3)', async () => {
    const client = new RpcClient(running.url, { 'x-api-key': KEY });
    const task = await client.task('SendMessage', aMessage('still here', { skillId: 'echoing' }));
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    const tasks = await someTasks();
    expect(tasks.length).toBeGreaterThan(25);
    const grpc = new Client(running.grpc ?? '', credentials.createInsecure());
    const readings = tasks.flatMap((taskId) =>
      EVERY_WAY.flatMap(({ calls }) => calls.GetTask?.({ taskId, configId: '', messageId: '' }) ?? []),
    );
    const faults = await faultsOf(readings, (call) =>
      'http' in call ? readingFault(call.http) : grpcFaultOf(grpc, bytesOf(call.grpc), (code) => code === status.OK),
    );
    grpc.close();
    expect({ seed, faults }).toEqual({ seed, faults: [] });
  });
});
