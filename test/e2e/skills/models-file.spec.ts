import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { agent, tool } from '@parley/sdk/model/api.js';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { WireServer } from '../../kit/models/wire-server.js';
import { REASONING, SIGNATURE, WIRE_VENDORS, type WireVendor } from '../../kit/models/wire-vendors.js';

const [OPENAI, ANTHROPIC] = WIRE_VENDORS as readonly [WireVendor, WireVendor];
const WeatherAgent = agent({
  id: 'weather_agent',
  description: 'Tells the weather.',
  model: 'strong',
  instruction: 'Be short.',
  tools: [tool({ name: 'weather', description: 'Tells the weather of a city', run: async () => 'rain' })],
});
const LostAgent = agent({ id: 'lost', description: 'Is lost.', model: 'huge', instruction: 'Be short.' });

let claude: WireServer;
let house: WireServer;
let running: RunningApp;
let client: RpcClient;

/** Claude calls a tool, and then has no capacity. */
let rounds = 0;

function modelsFile(): string {
  const path = join(mkdtempSync(join(tmpdir(), 'parley-models-file-')), 'models.json');
  const file = {
    providers: {
      claude: { type: 'anthropic', url: `${claude.url}/v1`, key: 'env:PARLEY_TEST_CLAUDE' },
      house: { type: 'openai-compatible', url: `${house.url}/v1` },
    },
    models: {
      strong: {
        provider: 'claude',
        id: 'claude-x',
        answer: 1_000,
        price: { in: 1, cached: 0.1, out: 5 },
        fallback: ['spare'],
      },
      spare: { provider: 'house', id: 'm-32b' },
    },
    default: 'spare',
  };
  writeFileSync(path, JSON.stringify(file));
  return path;
}

describe('a service with several models', () => {
  beforeAll(async () => {
    process.env.PARLEY_TEST_CLAUDE = 'sk-canary';
    claude = await WireServer.start(() => {
      rounds += 1;
      const headers = { 'content-type': ANTHROPIC.contentType };
      if (rounds === 1) return { headers, body: ANTHROPIC.call };
      if (rounds === 2) return { headers, body: ANTHROPIC.text(['It ', 'rains.']) };
      return { status: 529, headers: { 'retry-after': '60' }, body: ANTHROPIC.refusal('busy', 'overloaded_error') };
    });
    house = await WireServer.start(() => ({
      headers: { 'content-type': OPENAI.contentType },
      body: OPENAI.text(['From ', 'the house.']),
    }));
    running = await runApp({ MODELS_FILE: modelsFile(), DEFAULT_SKILL: 'weather_agent' }, { skills: [WeatherAgent] });
    client = new RpcClient(running.url);
  });

  afterAll(async () => {
    Reflect.deleteProperty(process.env, 'PARLEY_TEST_CLAUDE');
    await running.close();
    await Promise.all([claude.close(), house.close()]);
  });

  const answered = async (): Promise<string> => {
    const { status, artifacts = [] } = await client.task('SendMessage', aMessage('Weather in Oslo?'));
    const parts = artifacts.flatMap((artifact) => artifact.parts);
    return `${status.state}: ${parts.map((part) => ('text' in part ? part.text : '')).join('')}`;
  };

  it('lets an agent use Claude by its role, with tools and signed reasoning (LLM-15, LLM-16, LLM-29)', async () => {
    expect(await answered()).toBe('TASK_STATE_COMPLETED: It rains.');
    const [, second] = claude.requests;
    expect(second?.body).toContain(JSON.stringify(SIGNATURE));
    expect(second?.body).toContain(JSON.stringify(REASONING));
    expect(second?.headers['x-api-key']).toBe('sk-canary');
    const { result } = await client.call('ListTasks', { pageSize: 5 });
    // Twice 20 fresh tokens at 1, 80 cached ones at 0.1, 7 at 5.
    expect(JSON.stringify(result)).toContain('{"calls":2,"inputTokens":200,"outputTokens":14,"cost":0.000126}');
    expect(JSON.stringify(result)).not.toMatch(/sk-canary|EqQBCk/);
  });

  it('asks the next model where it has no capacity, and says so in a metric (LLM-17)', async () => {
    expect(await answered()).toBe('TASK_STATE_COMPLETED: From the house.');
    expect(await answered()).toBe('TASK_STATE_COMPLETED: From the house.');
    expect(claude.requests).toHaveLength(3);
    const metrics = await (await fetch(`${running.url}/metrics`)).text();
    expect(metrics).toMatch(/a2a_model_failovers_total\{model="strong",reason="rate"\} 2/);
    expect(metrics).toMatch(/a2a_model_closed\{provider="claude"\} 1/);
    expect(metrics).toMatch(/a2a_model_line\{provider="claude"\} 0/);
    expect(metrics).toMatch(/a2a_model_tokens_total\{model="strong",direction="cached"\} 320/);
  });

  it('does not start with an agent whose role no model has (LLM-16)', async () => {
    const starting = runApp({ MODELS_FILE: modelsFile() }, { skills: [LostAgent] });
    await expect(starting).rejects.toThrow('there is no model "huge": there is strong, spare');
  });
});
