import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { agent } from '@parley/sdk/model/agent.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';
import { OpenAiStub } from '../../kit/stubs/openai-stub.js';

const inputModes = ['text/plain', 'image/*', 'application/zip'];
const Chat = agent({ id: 'chat', description: 'Talks.', model: 'eye', instruction: 'Be brief.', inputModes });

let stub: OpenAiStub;
let folder: string;
let running: RunningApp;
let client: RpcClient;

const asked = (): readonly unknown[] => stub.requests.at(-1)?.body.messages.map(({ content }) => content) ?? [];

describe('a chat with an agent of a model', () => {
  beforeAll(async () => {
    stub = await OpenAiStub.start(({ body: { messages } }) =>
      Promise.resolve({ text: `answer ${String(messages.length)}` }),
    );
    folder = await mkdtemp(join(tmpdir(), 'parley-chat-'));
    const file = join(folder, 'models.json');
    const models = { eye: { provider: 'house', id: 'stub', can: ['tools', 'image/*'] } };
    const providers = { house: { type: 'openai-compatible', url: stub.url } };
    await writeFile(file, JSON.stringify({ providers, models, default: 'eye' }));
    running = await runApp({ MODELS_FILE: file, DEFAULT_SKILL: 'chat' }, { skills: [Chat] });
    client = new RpcClient(running.url);
  });

  afterAll(async () => {
    await running.close();
    await stub.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('knows what was said before in its context, and nothing of another one (C4, LLM-31)', async () => {
    const { message } = aMessage('My name is Ada.');
    await client.task('SendMessage', { message: { ...message, contextId: 'thread-1' } });
    const { message: second } = aMessage('What is my name?');
    await client.task('SendMessage', { message: { ...second, contextId: 'thread-1' } });
    expect(asked()).toEqual(['Be brief.', 'My name is Ada.', 'answer 2', 'What is my name?']);
    const { message: other } = aMessage('What is my name?');
    await client.task('SendMessage', { message: { ...other, contextId: 'thread-2' } });
    expect(asked()).toEqual(['Be brief.', 'What is my name?']);
  });

  it('gives the model an image of the caller, and names another file (F10, LLM-27)', async () => {
    const { message } = aMessage('What is this?');
    const parts = [
      { text: 'What is this?' },
      { raw: 'AAEC', mediaType: 'image/png', filename: 'a.png' },
      { raw: 'AAEC', mediaType: 'application/zip', filename: 'b.zip' },
    ];
    await client.task('SendMessage', { message: { ...message, parts } });
    expect(asked()[1]).toEqual([
      {
        type: 'text',
        text: 'What is this?\n[file a.png, image/png, 3 bytes]\n[file b.zip, application/zip, 3 bytes: it cannot be read by this model]',
      },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAEC' } },
    ]);
  });
});
