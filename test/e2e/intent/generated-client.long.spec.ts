import { mkdir, rm, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { transform } from '@swc/core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { generateSource } from 'oazapfts';
import ts from 'typescript';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';
import { SEED_SKILLS } from '../../kit/skills/seed-skills.js';

/** What the generator makes of an operation: JSON as it came. */
type Method = (...parameters: readonly unknown[]) => Promise<{ readonly status: number; readonly data: never }>;
type Client = Readonly<Record<string, Method>>;

interface Described {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> };
}

// Below the repository, so that the client finds its runtime.
const FOLDER = '.cache/generated-client';
const HEADERS = { 'x-api-key': 'caller.secret' };

let running: RunningApp;
let client: Client;
let text: string;

beforeAll(async () => {
  const scopes = [
    'message.send',
    'tasks.read',
    'tasks.cancel',
    'push.read',
    'push.write',
    'card.extended',
    'webhooks.operate',
  ]
    .map((scope) => `a2a:${scope}`)
    .join(' ');
  const API_KEYS = apiKeyEntry('caller.secret', { tenant: 'acme', scopes });
  running = await runApp({ API_KEYS, DEFAULT_SKILL: 'untyped' }, { skills: SEED_SKILLS });
  text = await (await fetch(`${running.url}/openapi.json`, { headers: HEADERS })).text();
  await mkdir(FOLDER, { recursive: true });
  await writeFile(`${FOLDER}/openapi.json`, text);
  const source = await generateSource(`${FOLDER}/openapi.json`, { optimistic: false });
  const { code } = await transform(source, {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'es6' },
  });
  await writeFile(`${FOLDER}/client.mjs`, code);
  client = (await import(pathToFileURL(`${FOLDER}/client.mjs`).href)) as Client;
});

afterAll(async () => {
  await running.close();
  await rm(FOLDER, { recursive: true, force: true });
});

const call = (name: string, ...parameters: readonly unknown[]): ReturnType<Method> => {
  const method = client[name];
  if (method === undefined) throw new Error(`The generated client has no ${name}: ${Object.keys(client).join(', ')}`);
  return method(...parameters, { headers: HEADERS });
};

/** What a typed caller writes: a text is sent, and what the protocol requires of a task is read without a check. */
const TYPED_USE = `
import { cancelTask, getTask, listTasks, sendMessage, type Task } from './client.js';

export async function use(): Promise<readonly string[]> {
  const message = { messageId: 'typed-1', role: 'ROLE_USER' as const, parts: [{ text: 'hello' }] };
  const { task } = await sendMessage({ message });
  if (task === undefined) return [];
  const { id, status, artifacts = [] }: Task = await getTask(task.id);
  const { tasks, nextPageToken } = await listTasks();
  await cancelTask(id, { metadata: { why: 'enough' } });
  const texts = artifacts.flatMap(({ parts }) => parts.map((part) => part.text ?? ''));
  return [status.state, nextPageToken, ...texts, ...tasks.map((one) => one.id)];
}
`;

/** The faults that \`tsc --strict\` finds in a file. */
function faultsOf(file: string): readonly string[] {
  const program = ts.createProgram([file], {
    ...{ strict: true, noEmit: true, skipLibCheck: true, types: [] },
    ...{ target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext },
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  });
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

describe('a client that a public generator makes of /openapi.json', () => {
  it('runs an intent (O-02, SEED-32)', async () => {
    const answer = await call('run', { intent: 'analyze_sentiment', inputs: { review: 'I love it' } });
    expect(answer).toMatchObject({ status: 200, data: { sentiment: 'positive' } });
  });

  it('sends a message, reads its task and lists tasks (A2A-REST-01)', async () => {
    const message = {
      messageId: 'generated-1',
      role: 'ROLE_USER',
      parts: [{ data: { how: 'ask' } }],
      metadata: { skillId: 'ending' },
    };
    const sent = await call('sendMessage', { message }, {});
    expect(sent).toMatchObject({ status: 200, data: { task: { status: { state: 'TASK_STATE_INPUT_REQUIRED' } } } });
    const { id } = (sent.data as { readonly task: { readonly id: string } }).task;
    expect(await call('getTask', id, {})).toMatchObject({ status: 200, data: { id } });
    expect(await call('listTasks', { status: 'TASK_STATE_INPUT_REQUIRED' })).toMatchObject({ data: { totalSize: 1 } });
  });

  it('uses the routes of operators', async () => {
    expect(await call('webhookOperatorList', {})).toMatchObject({ status: 200, data: { deadLetters: [] } });
  });

  it('compiles with a typed use of it: a text is sent, the members that the protocol requires are read (C6)', async () => {
    await writeFile(`${FOLDER}/client.ts`, await generateSource(`${FOLDER}/openapi.json`, { optimistic: true }));
    await writeFile(`${FOLDER}/use.ts`, TYPED_USE);
    expect(faultsOf(`${FOLDER}/use.ts`)).toEqual([]);
  });

  it('gets answers that have every member which the document requires (C6)', async () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(JSON.parse(text) as object, 'openapi');
    const faults = (schema: string, { status, data }: { readonly status: number; readonly data: unknown }): unknown => {
      const check = ajv.getSchema(`openapi#/components/schemas/${schema}`);
      return check?.(data) === true ? status : [schema, data, check?.errors];
    };
    const message = {
      messageId: 'typed-2',
      role: 'ROLE_USER',
      parts: [{ data: { how: 'ask' } }],
      metadata: { skillId: 'ending' },
    };
    const sent = await call('sendMessage', { message }, {});
    const { task } = sent.data as { readonly task: { readonly id: string } };
    const url = 'https://hooks.example.com/a';
    const config = await call('createTaskPushNotificationConfig', task.id, { url }, {});
    const configId = (config.data as { readonly id: string }).id;
    const answers = [
      faults('SendMessageResponse', sent),
      faults('TaskPushNotificationConfig', config),
      faults('TaskPushNotificationConfig', await call('getTaskPushNotificationConfig', task.id, configId, {})),
      faults('ListTaskPushNotificationConfigsResponse', await call('listTaskPushNotificationConfigs', task.id, {})),
      faults('Task', await call('getTask', task.id, {})),
      faults('ListTasksResponse', await call('listTasks', {})),
      faults('ListTasksResponse', await call('listTasks', { contextId: 'none' })),
      faults('AgentCard', await call('getExtendedAgentCard', {})),
    ];
    expect(answers).toEqual(answers.map(() => 200));
    expect(faults('Error', await call('getTask', 'none', {}))).toBe(404);
  });

  it('names the schema of each body that has two media types, so that it is written once (C6)', () => {
    const { paths } = JSON.parse(text) as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
    };
    const bodies = Object.values(paths).flatMap((methods) =>
      Object.values(methods).flatMap(({ operationId, requestBody }) => {
        const schemas = Object.values(requestBody?.content ?? {}).map(({ schema }) => schema);
        return schemas.length < 2 ? [] : schemas.map((schema) => [operationId, Object.keys(schema)]);
      }),
    );
    expect(bodies).toEqual(bodies.map(([operationId]) => [operationId, ['$ref']]));
    expect(bodies).toContainEqual(['CancelTask', ['$ref']]);
  });
});
