import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { printable } from '@parley/protocol/json/printable.js';
import { parleyOps } from '../../../kit/app/ops-command.js';
import { type CommandResult, parley } from '../../../kit/app/parley-command.js';
import { testRedisUrl } from '../../../kit/redis/shared-redis.js';
import { aMessage, RpcClient } from '../../../kit/callers/rpc-client.js';
import { runApp, type RunningApp } from '../../../kit/app/running-app.js';
import { SCRIPTED } from '../../../kit/skills/scripted.skill.js';

const [escape, csi, override, isolate, mark] = [0x1b, 0x9b, 0x202e, 0x2066, 0x200f].map((code) =>
  String.fromCharCode(code),
);
/** Colours, a moved cursor, a turned direction, an overwritten and a forged line. */
const EVIL = `${escape}]0;x\u0007${csi}2J${override}evil${isolate}${mark}\rState: fine\nHint: run me\n`;
/** An id that a shell would run. */
const id = `--x\`touch PWN\`$(touch PWN);touch PWN;'${EVIL}`;

const status = {
  state: 'TASK_STATE_INPUT_REQUIRED',
  timestamp: EVIL,
  message: { messageId: EVIL, role: 'ROLE_AGENT', parts: [{ text: EVIL }, { data: { [EVIL]: EVIL } }] },
};
const parts = [{ text: EVIL }, { url: EVIL, filename: EVIL, mediaType: EVIL }];
const artifacts = [{ artifactId: EVIL, name: EVIL, description: EVIL, parts }];
const metadata = { [EVIL]: EVIL };
const task = { id, contextId: EVIL, status, artifacts, history: [status.message], metadata };
const config = { id: EVIL, taskId: EVIL, url: EVIL };
const entry = { identifier: EVIL, state: EVIL, owner: EVIL, url: EVIL, hash: EVIL, listing: { displayName: EVIL } };
const agent = { identifier: EVIL, displayName: EVIL, url: EVIL, description: EVIL, capabilities: [EVIL], tags: [EVIL] };
const event = { seq: 1, at: EVIL, action: EVIL, subject: EVIL, by: { client: EVIL }, why: EVIL };

const ROUTES: readonly (readonly [RegExp, object])[] = [
  [/\/(search|agents\?|agents$)/, { items: [agent], results: [agent], pageToken: id }],
  [/\/agents\//, agent],
  [/\/entries\?|\/entries$/, { items: [entry], entry, pageToken: id }],
  [/\/entries\//, { entry }],
  [/\/log/, { events: [event] }],
  [
    /webhooks\/events/,
    { ...config, origin: EVIL, types: [EVIL], webhooks: [{ ...config, origin: EVIL, types: [EVIL] }] },
  ],
];

const RESULTS: Readonly<Record<string, object>> = {
  SendMessage: { task },
  ListTasks: { tasks: [task], nextPageToken: id, totalSize: 1, pageSize: 1 },
  GetTaskPushNotificationConfig: config,
  CreateTaskPushNotificationConfig: config,
  ListTaskPushNotificationConfigs: { configs: [config] },
};

let agentHost: Server;
let url: string;
let folder: string;
let service: RunningApp;

function card(): object {
  const at = (protocolBinding: string) => ({ url, protocolBinding, protocolVersion: '1.0' });
  return {
    ...{ name: EVIL, description: EVIL, version: EVIL, provider: { organization: EVIL, url: EVIL } },
    supportedInterfaces: [at('JSONRPC'), at('HTTP+JSON')],
    capabilities: { streaming: false, pushNotifications: true, extensions: [{ uri: EVIL }] },
    securitySchemes: { [EVIL]: { httpAuthSecurityScheme: { scheme: EVIL } } },
    ...{ defaultInputModes: [], defaultOutputModes: [] },
    skills: [{ id: EVIL, name: EVIL, description: EVIL, tags: [EVIL] }],
  };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url ?? '/';
  response.setHeader('content-type', 'application/json');
  if (path.startsWith('/.well-known/')) return void response.end(JSON.stringify(card()));
  const route = ROUTES.find(([pattern]) => pattern.test(path));
  if (route !== undefined) return void response.end(JSON.stringify(route[1]));
  const { id: rpc, method, params } = (await json(request)) as { id: unknown; method: string; params: { id?: string } };
  const error = { code: -32001, message: EVIL, data: [] };
  const outcome = params.id === 'missing' ? { error } : { result: RESULTS[method] ?? task };
  response.end(JSON.stringify({ jsonrpc: '2.0', id: rpc, ...outcome }));
}

/** Nothing that a terminal obeys, and no line that begins as the text of another wants it. */
function expectHarmless({ out, err }: CommandResult, isText = true): void {
  expect(out + err).toMatch(/evil/);
  expect(printable(out + err)).toBe(out + err);
  if (isText) expect(err).not.toMatch(/^Hint: run me/m);
}

const FOR_CALLERS: readonly (readonly string[])[] = [
  ['card', 'get'],
  ['card', 'get', '--validate'],
  ['send', 'hi'],
  ['send', 'hi', '--async'],
  ['send', 'hi', '--stream', '--verbose'],
  ['send', 'hi', '--debug'],
  ['chat'],
  ['task', 'get', 'x', '--verbose'],
  ['task', 'get', 'missing'],
  ['task', 'list'],
  ['task', 'cancel', 'x'],
  ['task', 'subscribe', 'x'],
  ['task', 'answer', 'x'],
  ['task', 'answer', 'x', 'yes'],
  ['task', 'push-config', 'create', 'x', 'https://a.example'],
  ['task', 'push-config', 'get', 'x', 'y'],
  ['task', 'push-config', 'list', 'x'],
  ['webhook', 'events', 'create', 'https://a.example', '--type', 'a.b'],
  ['webhook', 'events', 'list'],
  ['registry', 'search', 'x'],
  ['registry', 'search'],
  ['registry', 'get', 'x'],
  ['registry', 'list'],
  ['registry', 'show', 'x'],
  ['registry', 'register', 'https://a.example'],
  ['registry', 'suspend', 'x', '--reason', 'y'],
  ['registry', 'log'],
];

describe('texts of other people in what parley prints', () => {
  beforeAll(async () => {
    agentHost = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
    await once(agentHost, 'listening');
    url = `http://127.0.0.1:${String((agentHost.address() as AddressInfo).port)}`;
    folder = await mkdtemp(join(tmpdir(), 'parley-hostile-'));
    service = await runApp({}, SCRIPTED);
  }, 60_000);

  afterAll(async () => {
    await service.close();
    agentHost.close();
    agentHost.closeAllConnections();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(FOR_CALLERS)(
    '%s %s %s %s: shows text of an agent, and a terminal obeys none of it (A11)',
    async (...args) => {
      const of = args[0] === 'registry' ? ['--registry', `${url}/registry`] : ['-a', url];
      const full = [...args, ...of];
      const surroundings = { folder, input: 'hi\n', isTerminal: args[1] !== 'answer' };
      // An answer without words asks for them where a person is: here there is none, and the question's form is named.
      if (args.join(' ') !== 'task answer x') expectHarmless(await parley(full, surroundings));
      const asJson = await parley([...full, '-o', 'json'], surroundings);
      expect(printable(asJson.out + asJson.err)).toBe(asJson.out + asJson.err);
    },
  );

  it('gives commands to copy that run nothing but themselves (A11)', async () => {
    const printed = [
      await parley(['send', 'hi', '-a', url], { folder }),
      await parley(['task', 'list', '-a', url], { folder }),
      await parley(['registry', 'search', '--registry', `${url}/registry`], { folder }),
    ].map(({ out }) => out);
    const commands = printed.flatMap((out) =>
      [...out.matchAll(/^(?:Resume: |Next: )(.*)$/gm)].map(([, command = '']) =>
        command.replace(/^(?=--page)/, 'parley '),
      ),
    );
    expect(commands).toHaveLength(3);
    for (const command of commands) {
      const script = `parley() { printf '%s\\0' "$@"; }; ${command}`;
      const { stdout } = await promisify(execFile)('sh', ['-c', script], { cwd: folder });
      expect(stdout.split('\0').filter((word) => word.includes('touch PWN'))).toHaveLength(1);
    }
    expect(existsSync(join(folder, 'PWN'))).toBe(false);
  });

  it.each([
    ['task', 'ID'],
    ['tasks', '--tenant', 'local', '--client', 'local'],
    ['tasks'],
    ['tree', 'ID'],
    ['snapshot', 'ID', '--at', '2'],
    ['trace', 'export', 'ID'],
    ['webhooks', 'list'],
    ['queue'],
  ])('ops %s %s: shows text of a caller, and a terminal obeys none of it (A11)', async (...args) => {
    const script = [{ kind: 'artifact', artifactId: 'a', name: EVIL, parts: [{ text: EVIL }] }];
    const request = aMessage(EVIL, { metadata: { skillId: 'scripted', script } });
    const { id: made } = await new RpcClient(service.url).task('SendMessage', request);
    const words = args.map((arg) => (arg === 'ID' ? made : arg));
    for (const more of [[], ['--json']]) {
      const variables = { REDIS_URL: testRedisUrl(), KEY_PREFIX: service.keyPrefix };
      const { out, err } = await parleyOps([...more, ...words], variables);
      expect(out).not.toBe('');
      expect(printable(out + err)).toBe(out + err);
    }
  });
});
