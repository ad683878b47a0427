import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';
import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js';
import { CardFileDto } from '../../src/agents/card/dto/card-file.dto.js';
import { ListTasksDto } from '../../src/operations/dto/list-tasks.dto.js';
import { ListPushConfigsDto, PushConfigIdDto } from '../../src/operations/dto/push-config-id.dto.js';
import { PushConfigDto } from '../../src/operations/dto/push-config.dto.js';
import { SendMessageDto } from '../../src/operations/dto/send-message.dto.js';
import { CancelTaskDto, GetTaskDto, TaskIdDto } from '../../src/operations/dto/task.dto.js';
import { TenantDto } from '../../src/operations/dto/tenant.dto.js';
import { operationParams, validParams } from '../../src/operations/executor/validate.js';
import { readFileDto } from '@parley/sdk/validation/read-file-dto.js';
import { readPolicy } from '../../src/policy/policy-file.js';
import { A2AError } from '@parley/protocol/model/errors.js';
import type { OperationName } from '@parley/protocol/model/operations.js';
import { readAgentsFile } from '../../src/remote-agents/directory/agent-file.js';
import { loadConfig } from '../../src/main/app.environment.js';
import { authOptionsOf, type CallerSettings } from '../../src/auth/auth.settings.js';
import { jsonSchemaOf } from '@parley/sdk/skill/contract/json-schema.js';
import type { DtoClass } from '@parley/sdk/skill/skill.js';
import { readServerFile } from '../../src/mcp-tools/settings/server-file.js';
import { readCard } from '@parley/protocol/card/read-card.js';
import { CODECS } from '@parley/protocol/versions/codecs.js';
import { readEvent, readReply, readTask } from '@parley/protocol/remote/read-remote.js';
import { wrongKinds } from '../kit/hostile/wrong-kinds.js';

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'parley-kinds-'));
afterAll(() => rmSync(folder, { recursive: true }));

const CARD = {
  ...{ name: 'n', description: 'd', version: '1' },
  supportedInterfaces: [{ url: 'https://a.example/', protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: 't' }],
  capabilities: { streaming: true },
  ...{ defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] },
  skills: [{ id: 's', name: 's', description: 's', tags: ['t'], examples: ['e'], inputModes: ['text/plain'] }],
  securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
  securityRequirements: [{ schemes: { bearer: { list: [] } } }],
};

const PIN = `sha256-${'A'.repeat(43)}`;
const AGENTS = {
  cars: {
    card: 'https://cars.example',
    auth: { type: 'bearer', token: 'secret' },
    origins: ['https://cars.example'],
    ...{ maxInFlight: 2, timeoutMs: 1000, resend: 'safe', mode: 'poll', signature: 'required', skill: 'rent' },
    keys: { keys: [{ kty: 'OKP' }] },
    reads: ['a.*'],
    expose: { rent: { as: 'rent_car', definition: { name: 'Rent' }, scopes: ['cars'] } },
  },
};
const SERVERS = {
  visa: {
    url: 'https://visa.example/mcp',
    auth: { type: 'bearer', token: 'secret' },
    ...{ era: 'auto', concurrency: 2 },
    tools: {
      rules: {
        pin: PIN,
        effects: 'none',
        onUnknown: 'fail',
        timeoutMs: 10,
        maxResultBytes: 10,
        long: false,
        exposeAs: 'visa_rules',
        scopes: ['a'],
      },
    },
  },
  local: {
    command: '/bin/true',
    args: ['a'],
    cwd: '/',
    env: { A: 'b' },
    memoryMb: 10,
    processes: 1,
    idleMs: 10,
    tools: { a: {} },
  },
};
const POLICY = {
  intents: [
    {
      name: 'r',
      tenants: ['a'],
      intents: ['b'],
      allow: ['c'],
      deny: ['d'],
      fresh: { seconds: 5, nonce: true },
      rate: '10/2',
    },
  ],
  memory: [{ name: 'm', callers: ['a'], allow: ['b'], deny: ['c'] }],
};
const CARD_FILE = {
  ...{ name: 'n', description: 'd', version: '1', documentationUrl: 'https://a.example' },
  provider: { url: 'https://a.example', organization: 'o' },
  extensions: [{ uri: 'urn:a:b', description: 'd', required: false, params: {} }],
  capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
};
const ISSUERS = {
  list: [
    {
      ...{ issuer: 'https://a.example', audiences: ['a'], tenant: 't', jwksUri: 'https://a.example/jwks' },
      ...{ algorithms: ['RS256'], machineOnly: true, clockSkewSeconds: 5, scopeClaim: 'scp' },
    },
  ],
};

/** The classes of all DTO files. */
async function dtoClasses(): Promise<readonly DtoClass[]> {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  const own = files.filter((file) => /(\.dto|issuer\.settings)\.ts$/.test(file));
  const exported: unknown[] = [];
  for (const file of own) {
    exported.push(...Object.values((await import(pathToFileURL(join(root, 'src', file)).href)) as object));
  }
  return exported.filter((one): one is DtoClass => typeof one === 'function' && /Dto$|IssuerSettings/.test(one.name));
}

const VALUES = [null, true, 7, 'text', '7', [], [[]], [{}], [null], [7], ['text'], [['text']], {}];
const ajv = new Ajv2020({ strict: false, validateFormats: false });

async function refused(type: DtoClass, input: object): Promise<readonly string[]> {
  try {
    await validParams(type, input);
    return [];
  } catch (error) {
    if (!(error instanceof A2AError)) throw error;
    return error.violations.map(({ field }) => field);
  }
}

/** Values that a member takes although its schema does not; null is the absence of it. */
async function passing(type: DtoClass, name: string, schema: AnySchema): Promise<readonly string[]> {
  const fits = ajv.compile(schema);
  const passed: string[] = [];
  for (const value of VALUES.filter((one: unknown) => one !== null && !fits(one))) {
    const fields = await refused(type, { [name]: structuredClone(value) });
    const isNamed = fields.some(
      (field) => field === name || field.startsWith(`${name}[`) || field.startsWith(`${name}.`),
    );
    if (!isNamed) passed.push(`${type.name}.${name} = ${JSON.stringify(value)}`);
  }
  return passed;
}

describe('a value of another kind', () => {
  it('is refused at every member of every DTO class, with the name of the member (B3, A2A-SEND-13)', async () => {
    const classes = await dtoClasses();
    expect(classes.length).toBeGreaterThan(40);
    const passed: string[] = [];
    for (const type of classes) {
      for (const [name, schema] of Object.entries(jsonSchemaOf(type).properties)) {
        passed.push(...(await passing(type, name, schema)));
      }
    }
    expect(passed).toEqual([]);
  });

  const PARAMS: Readonly<Record<OperationName, DtoClass>> = {
    ...{
      SendMessage: SendMessageDto,
      SendStreamingMessage: SendMessageDto,
      GetTask: GetTaskDto,
      ListTasks: ListTasksDto,
    },
    ...{ CancelTask: CancelTaskDto, SubscribeToTask: TaskIdDto, CreateTaskPushNotificationConfig: PushConfigDto },
    ...{ GetTaskPushNotificationConfig: PushConfigIdDto, DeleteTaskPushNotificationConfig: PushConfigIdDto },
    ...{ ListTaskPushNotificationConfigs: ListPushConfigsDto, GetExtendedAgentCard: TenantDto },
  };

  interface Case {
    readonly name: string;
    readonly operation: OperationName;
    readonly params?: unknown;
  }

  async function outcome(read: () => unknown): Promise<string> {
    try {
      return JSON.stringify(await read());
    } catch (error) {
      if (error instanceof A2AError) return 'refused';
      throw error;
    }
  }

  /** Null is unset; numbers are written as texts, enums as numbers, and the only scheme without its list. */
  const isWritten = (path: string, value: unknown): boolean =>
    value === null ||
    (/(status|pageSize|historyLength|history_length|role|schemes)$/.test(path) &&
      ['number', 'string'].includes(typeof value));

  it.each(CODECS)('is neither stored nor dropped in any params of $version (B3, A2A-JSON-04)', async (codec) => {
    const { cases } = JSON.parse(
      readFileSync(join(import.meta.dirname, 'wire', `v${codec.version.replace('.', '_')}.json`), 'utf8'),
    ) as { readonly cases: readonly Case[] };
    const passed: string[] = [];
    for (const { name, operation, params } of cases) {
      if (params === undefined) continue;
      const read = (given: unknown) => async () =>
        operationParams(PARAMS[operation], codec.decodeParams(operation, { method: name, params: given }));
      const sound = await outcome(read(params));
      if (sound === 'refused') continue;
      const isFree = (path: string): boolean => /(^|\.)(metadata|data)$/.test(path);
      for (const { path, original, value, document } of wrongKinds(params, isFree)) {
        const text = await outcome(read(document));
        if (text === 'refused' || text === sound) continue;
        if (original !== null && !isWritten(path, value))
          passed.push(`${name}: ${path} = ${JSON.stringify(value)} → ${text}`);
      }
    }
    expect(passed).toEqual([]);
  });

  it.each([
    ['a task', readTask, aTask()],
    ['a reply', readReply, { task: aTask() }],
    ['an event', readEvent, { statusUpdate: { taskId: 't', contextId: 'c', status: aTask().status } }],
    ['an artifact', readEvent, { artifactUpdate: { taskId: 't', contextId: 'c', artifact: aTask().artifacts[0] } }],
  ])('is refused in %s of another agent (B3)', (_what, read, document) => {
    const isFree = (path: string): boolean => /metadata|\.data$|timestamp/.test(path);
    expect(accepted(read, document, isFree)).toEqual([]);
  });

  it('is refused in the card of another agent, or is of no effect (B3)', () => {
    const isFree = (path: string): boolean => /params|extensions|signatures|provider|Url$|streaming|pushN/.test(path);
    expect(accepted(readCard, CARD, isFree)).toEqual([]);
  });

  const written = (value: unknown): string => {
    const path = join(folder, 'file.json');
    writeFileSync(path, JSON.stringify(value));
    return path;
  };
  it.each<[string, (value: unknown) => unknown, object]>([
    ['AGENTS_FILE', (value) => readAgentsFile(written(value), {}), AGENTS],
    ['MCP_SERVERS_FILE', (value) => readServerFile(written(value), {}), SERVERS],
    ['POLICY_FILE', (value) => readPolicy(JSON.stringify(value)), POLICY],
    ['CARD_FILE', (value) => readFileDto(CardFileDto, JSON.stringify(value)), CARD_FILE],
    ['auth.issuers', (value) => authOptionsOf(issuers(value), 'http://a.example'), ISSUERS],
  ])('is refused in %s, with its position (B3)', (name, read, document) => {
    const isFree = (path: string): boolean => /definition\.|params|keys\.keys\[0\]\.|tags/.test(path);
    const named = (error: unknown, path: string): boolean => {
      const last = path.split(/[.[\]]/).findLast((one) => /[a-zA-Z]/.test(one)) ?? name;
      const shown = last === 'list' ? 'auth.issuers' : last;
      return error instanceof Error && error.message.includes(shown);
    };
    expect(accepted(read, document, isFree, named)).toEqual([]);
  });
});

/** Mutations that a reader takes. */
function accepted(
  read: (value: unknown) => unknown,
  document: unknown,
  isFree: (path: string) => boolean,
  isNamed: (error: unknown, path: string) => boolean = () => true,
): readonly string[] {
  const sound = JSON.stringify(read(document));
  return wrongKinds(document, isFree).flatMap(({ path, value, document: wrong }) => {
    const line = `${path} = ${JSON.stringify(value)}`;
    try {
      const text = JSON.stringify(read(wrong));
      return value === null || text === sound ? [] : [line];
    } catch (error) {
      return isNamed(error, path) ? [] : [`${line}: ${String(error)}`];
    }
  });
}

function issuers(value: unknown): CallerSettings {
  const { list } = value as { readonly list: unknown };
  return loadConfig({}, { auth: { issuers: list } });
}

function aTask() {
  const part = { text: 'x', mediaType: 'text/plain', metadata: {} };
  const message = { messageId: 'm', role: 'ROLE_AGENT', parts: [part, { data: {} }, { raw: 'AA==', filename: 'f' }] };
  return {
    id: 't',
    contextId: 'c',
    status: { state: 'TASK_STATE_WORKING', message, timestamp: '2026-01-01T00:00:00Z' },
    artifacts: [{ artifactId: 'a', parts: [part] }],
    history: [message],
    metadata: {},
  };
}
