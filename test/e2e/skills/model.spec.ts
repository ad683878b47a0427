import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { converse } from '@parley/sdk/model/converse.js';
import { Model } from '@parley/sdk/model/model.js';
import { tool } from '@parley/sdk/model/function-tool.js';
import { MODEL_USAGE_EXTENSION } from '@parley/protocol/extension/model-usage.js';
import type { Task } from '@parley/protocol/model/task.js';
import type { SkillEvent } from '@parley/sdk/skill/events.js';
import { Skill, type SkillContext, type SkillHandler } from '@parley/sdk/skill/skill.js';
import { OpenAiStub } from '../../kit/stubs/openai-stub.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';
import { settingsFile } from '../../kit/app/settings-file.js';

const WEATHER = tool({
  ...{ name: 'weather', description: 'Tells the weather of a city', input: { type: 'object' } },
  run: async ({ city }) => `rain in ${String(city)}`,
});

@Skill({ id: 'forecast', name: 'Forecast', description: 'For tests', tags: [], maxAttempts: 2 })
class ForecastSkill implements SkillHandler {
  constructor(private readonly model: Model) {}

  async *run(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    yield* converse(context, this.model, { instruction: 'Be short.', tools: [WEATHER] });
  }
}

let stub: OpenAiStub;
let running: RunningApp;
let client: RpcClient;

describe('a skill with a language model', () => {
  beforeAll(async () => {
    stub = await OpenAiStub.start();
    const variables = {
      MODEL_URL: stub.url,
      MODEL_NAME: 'stub-1',
      MODEL_KEY: 'secret',
      PARLEY_FILE: settingsFile({ models: { priceOut: 1_000_000, tenantTokens: 9_000_000 } }),
    };
    running = await runApp({ ...variables, DEFAULT_SKILL: 'forecast' }, { skills: [ForecastSkill] });
    client = new RpcClient(running.url);
  });

  afterAll(async () => {
    await running.close();
    await stub.close();
  });

  it('streams the answer of the model, after the tools that it calls', async () => {
    stub.script({ tool: 'weather', given: { city: 'Oslo' } }, { text: 'It rains in Oslo.' });
    const response = await fetch(`${running.url}/message:stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify(aMessage('Weather in Oslo?')),
    });
    const events = await response.text();
    const pieces = [...events.matchAll(/"text":"([^"]*)"/g)].map(([, text]) => text);
    expect(pieces.slice(-5)).toEqual(['It ', 'rains ', 'in ', 'Oslo.', '']);
    expect(events).toContain('TASK_STATE_COMPLETED');
    expect(stub.requests[1]?.body.messages.at(-1)).toMatchObject({ role: 'tool', content: 'rain in Oslo' });
    expect(stub.requests[0]?.headers.authorization).toBe('Bearer secret');
  });

  it('begins the answer anew where a stream was cut', async () => {
    stub.script({ text: 'It rains in Oslo.', cutAfter: 2 }, { text: 'It is dry.' });
    const task = await client.task('SendMessage', aMessage('Weather?'));
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    const texts = task.artifacts?.map(({ parts }) => parts.map((part) => ('text' in part ? part.text : '')).join(''));
    expect(texts).toEqual(['It is dry.']);
  });

  it('fails the task where the model refuses, without its words', async () => {
    stub.script({ status: 401 });
    const task = await client.task('SendMessage', aMessage('Weather?'));
    expect(task.status.state).toBe('TASK_STATE_FAILED');
    expect(JSON.stringify(task.status.message)).toContain('The language model has given no usable answer.');
    expect(stub.requests).toHaveLength(1);
  });

  it('shows what a task has used, to its caller only, and says so in the card', async () => {
    const { result } = await client.call('ListTasks', { pageSize: 50 });
    const used = JSON.stringify(result).match(/"urn:parley:extension:model-usage:1":\{"calls":2[^}]*\}/g);
    // The other one has made its first call in vain.
    expect(used).toContain(
      '"urn:parley:extension:model-usage:1":{"calls":2,"inputTokens":22,"outputTokens":14,"cost":14}',
    );
    const card = await (await fetch(`${running.url}/.well-known/agent-card.json`)).text();
    expect(card).toContain('"params":{"limits":{"tokens":2000000,"calls":500,"daily":{"tokens":9000000}}}');
  });

  it('counts calls, tokens and cost', async () => {
    const metrics = await (await fetch(`${running.url}/metrics`)).text();
    expect(metrics).toMatch(/a2a_model_calls_total\{model="stub-1",outcome="tools"\} 1/);
    expect(metrics).toMatch(/a2a_model_calls_total\{model="stub-1",outcome="failed"\} 2/);
    expect(metrics).toMatch(/a2a_model_tokens_total\{model="stub-1",direction="in"\} 33/);
    expect(metrics).toMatch(/a2a_model_cost_total\{model="stub-1"\} 21/);
    expect(metrics).toMatch(/^# TYPE a2a_model_budget_refusals_total counter$/m);
    expect(metrics).toMatch(/a2a_model_tenant_budget_ratio_bucket\{le="0.1"\} 5/);
    expect(metrics).not.toContain('Oslo');
  });

  it('shows it in the answer to a blocking send too, byte by byte as GetTask does', async () => {
    stub.script({ text: 'It rains in Oslo.' });
    const sent = await resultOf('/', 'SendMessage', aMessage('Weather?'));
    const { task } = JSON.parse(sent) as { task: Task };
    expect(task.metadata?.[MODEL_USAGE_EXTENSION]).toMatchObject({ calls: 1 });
    expect(sent).toBe(`{"task":${await resultOf('/', 'GetTask', { id: task.id })}}`);
  });
});

/** The result of a call as its text came. */
async function resultOf(path: string, method: string, params: unknown): Promise<string> {
  const response = await fetch(`${running.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return /"result":(.*)\}$/s.exec(await response.text())?.[1] ?? '';
}
