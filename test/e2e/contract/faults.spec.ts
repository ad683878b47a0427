import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { DialectClient } from '../../kit/callers/dialect-client.js';
import { aMessage } from '../../kit/callers/rpc-client.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';
import { SCRIPTED } from '../../kit/skills/scripted.skill.js';
import { type AskedOperation, type Way, waysTo } from './ways.js';

const NO_TASK = '00000000-0000-4000-8000-000000000000';
const OPEN = { GRPC_PORT: '0', DEFAULT_SKILL: 'scripted' };
/** A key that may read tasks and nothing else. */
const READER = 'reader.secret';
const GUARDED = { ...OPEN, API_KEYS: apiKeyEntry(READER, { tenant: 'default', scopes: 'a2a:tasks.read' }) };
const AS_READER = { 'x-api-key': READER };

type AppName = 'open' | 'guarded' | 'strict' | 'limited';
const apps = new Map<AppName, RunningApp>();
let folder: string;
let doneId: string;

function app(name: AppName): RunningApp {
  const found = apps.get(name);
  if (found === undefined) throw new Error(`${name} does not run`);
  return found;
}

/** One row of the error tables: what brings the fault about, and what it is on each binding. */
interface Row {
  readonly fault: string;
  readonly at?: AppName;
  readonly headers?: Readonly<Record<string, string>>;
  readonly ask: readonly [AskedOperation, (() => string)?, { readonly text: string; readonly skillId: string }?];
  readonly rpc: Readonly<Record<Way['version'], number>> | number;
  readonly rest: number;
  readonly grpc: status;
  readonly reason: string;
}

const done = (): string => doneId;
const fresh = (): string => '';
const withSkill = (skillId: string): { text: string; skillId: string } => ({ text: 'x', skillId });

const ROWS: readonly Row[] = [
  {
    ...{ fault: 'TaskNotFound (A2A-GET-01, A2A-ID-02, TRAP-40)', ask: ['GetTask'], reason: 'TASK_NOT_FOUND' },
    ...{ rpc: -32001, rest: 404, grpc: status.NOT_FOUND },
  },
  {
    ...{ fault: 'TaskNotCancelable (A2A-CANC-02)', ask: ['CancelTask', done], reason: 'TASK_NOT_CANCELABLE' },
    ...{ rpc: -32002, rest: 400, grpc: status.FAILED_PRECONDITION },
  },
  {
    ...{ fault: 'UnsupportedOperation (A2A-SEND-06)', ask: ['SendMessage', done], reason: 'UNSUPPORTED_OPERATION' },
    ...{ rpc: { '1.0': -32004, '0.3': -32004, '0.1': -32009 }, rest: 400, grpc: status.FAILED_PRECONDITION },
  },
  {
    ...{ fault: 'ContentTypeNotSupported (A2A-SEND-12)', ask: ['SendMessage', fresh, withSkill('data_only')] },
    ...{ rpc: -32005, rest: 400, grpc: status.INVALID_ARGUMENT, reason: 'CONTENT_TYPE_NOT_SUPPORTED' },
  },
  {
    ...{ fault: 'InvalidAgentResponse (TRAP-49)', ask: ['SendMessage', fresh, withSkill('direct')] },
    ...{ rpc: { '1.0': -32006, '0.3': -32006, '0.1': -32603 }, rest: 500, grpc: status.INTERNAL },
    reason: 'INVALID_AGENT_RESPONSE',
  },
  {
    ...{ fault: 'ExtensionSupportRequired (A2A-EXT-03)', at: 'strict', ask: ['GetTask'] },
    ...{ rpc: { '1.0': -32008, '0.3': -32008, '0.1': -32004 }, rest: 400, grpc: status.FAILED_PRECONDITION },
    reason: 'EXTENSION_SUPPORT_REQUIRED',
  },
  {
    ...{ fault: 'VersionNotSupported (DISP-03)', headers: { 'a2a-version': '7.0' }, ask: ['GetTask'] },
    ...{ rpc: -32009, rest: 400, grpc: status.FAILED_PRECONDITION, reason: 'VERSION_NOT_SUPPORTED' },
  },
  {
    ...{
      fault: 'InvalidParams (A2A-SEND-13, TRAP-39, TRAP-40)',
      ask: ['GetTask', () => 'x'.repeat(300)],
      reason: 'INVALID_PARAMS',
    },
    ...{ rpc: -32602, rest: 400, grpc: status.INVALID_ARGUMENT },
  },
  {
    ...{ fault: 'InternalError (A2A-RPC-07)', ask: ['SendMessage', fresh, withSkill('broken')] },
    ...{ rpc: -32603, rest: 500, grpc: status.INTERNAL, reason: 'INTERNAL_ERROR' },
  },
  {
    ...{ fault: 'Unauthenticated (A2A-AUTHN-02, A2A-AUTHN-03)', at: 'guarded', ask: ['GetTask'] },
    ...{ rpc: -32000, rest: 401, grpc: status.UNAUTHENTICATED, reason: 'UNAUTHENTICATED' },
  },
  {
    ...{ fault: 'PermissionDenied (A2A-AUTHZ-01)', at: 'guarded', headers: AS_READER },
    ask: ['SendMessage', fresh, withSkill('scripted')],
    ...{ rpc: { '1.0': -32000, '0.3': -32000, '0.1': -32008 }, rest: 403, grpc: status.PERMISSION_DENIED },
    reason: 'PERMISSION_DENIED',
  },
  {
    ...{ fault: 'RateLimited (A2A-SEC-05)', at: 'limited', headers: AS_READER, ask: ['GetTask'] },
    reason: 'RATE_LIMITED',
    ...{ rpc: { '1.0': -32000, '0.3': -32000, '0.1': -32010 }, rest: 429, grpc: status.RESOURCE_EXHAUSTED },
  },
];

describe('one fault on every binding (A2A-ERR-01, A2A-ERR-02)', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-faults-'));
    const card = join(folder, 'card.json');
    await writeFile(card, JSON.stringify({ extensions: [{ uri: 'urn:needed', required: true }] }));
    const none = { name: 'read', limit: 1, periodSeconds: 3600, burst: 2 } as const;
    apps.set('open', await runApp(OPEN, SCRIPTED));
    apps.set('guarded', await runApp(GUARDED, SCRIPTED));
    apps.set('strict', await runApp({ ...OPEN, CARD_FILE: card }, SCRIPTED));
    apps.set('limited', await runApp(GUARDED, { ...SCRIPTED, limits: { read: none } }));
    const v1 = new DialectClient(app('open').url, { 'a2a-version': '1.0' });
    doneId = (await v1.result('SendMessage', aMessage('x', {}))).task.id;
  });

  afterAll(async () => {
    await Promise.all([...apps.values()].map((it) => it.close()));
    await rm(folder, { recursive: true });
  });

  beforeAll(async () => {
    // The reads that the limited service allows.
    const client = new DialectClient(app('limited').url, { 'a2a-version': '1.0', ...AS_READER });
    for (let read = 0; read < 4; read += 1) await client.call('GetTask', { id: NO_TASK });
  });

  it.each(ROWS)('$fault', async ({ at = 'open', headers = {}, ask, reason, ...codes }) => {
    const [operation, id = () => NO_TASK, message] = ask;
    for (const way of waysTo(app(at), headers)) {
      // A task of 0.1 begins under the id that its client makes.
      const taskId = id() === '' && way.version === '0.1' ? randomUUID() : id();
      const ofFamily = codes[way.family];
      const code = typeof ofFamily === 'number' ? ofFamily : ofFamily[way.version];
      const seen = await way.fault(operation, taskId, message);
      expect([way.name, seen]).toEqual([way.name, { code, reason }]);
    }
  });
});
