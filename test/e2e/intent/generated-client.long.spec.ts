import { mkdir, rm, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { transform } from '@swc/core';
import { generateSource } from 'oazapfts';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { runApp, type RunningApp } from '../../kit/running-app.js';
import { SEED_SKILLS } from '../../kit/seed-skills.js';

/** What the generator makes of an operation: JSON as it came. */
type Method = (...parameters: readonly unknown[]) => Promise<{ readonly status: number; readonly data: never }>;
type Client = Readonly<Record<string, Method>>;

// Below the repository, so that the client finds its runtime.
const FOLDER = '.cache/generated-client';
const HEADERS = { 'x-api-key': 'caller.secret' };

let running: RunningApp;
let client: Client;

beforeAll(async () => {
  const scopes = 'a2a:message.send a2a:tasks.read a2a:tasks.cancel a2a:webhooks.operate';
  const API_KEYS = apiKeyEntry('caller.secret', { tenant: 'acme', scopes });
  running = await runApp({ API_KEYS, DEFAULT_SKILL: 'untyped' }, { skills: SEED_SKILLS });
  const document = await (await fetch(`${running.url}/openapi.json`, { headers: HEADERS })).text();
  await mkdir(FOLDER, { recursive: true });
  await writeFile(`${FOLDER}/openapi.json`, document);
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
});
