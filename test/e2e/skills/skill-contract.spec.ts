import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AgentCard } from '@parley/protocol/model/agent-card.js';
import { SKILL_SCHEMA_EXTENSION } from '@parley/sdk/skill/contract/skill-schema.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';

const TEXT =
  'The bridge was closed on Monday. Engineers had found a crack in its main beam. Traffic is led around the old town. ' +
  'The city expects that the repair of the beam takes two weeks. Buses across the bridge are free until then.';

let running: RunningApp;
let client: RpcClient;

describe('the contract of a skill', () => {
  beforeAll(async () => {
    running = await runApp();
    client = new RpcClient(running.url);
  });

  afterAll(async () => {
    await running.close();
  });

  it('refuses what does not fit before any task exists, with the path of the field (SEED-34)', async () => {
    const message = aMessage(TEXT, { skillId: 'summarize_text', contextId: 'no-task-here' });
    const parts = [{ text: TEXT }, { data: { length: 'huge', colour: 'red' } }];
    const { error } = await client.call('SendMessage', { message: { ...message.message, parts } });
    expect(error?.code).toBe(-32602);
    const violations = error?.data?.flatMap(({ fieldViolations = [] }) => fieldViolations) ?? [];
    expect(violations.map(({ field }) => field)).toEqual([
      'message.parts[1].data.colour',
      'message.parts[1].data.length',
    ]);
    const { result } = await client.call('ListTasks', { contextId: 'no-task-here' });
    expect(result).toMatchObject({ tasks: [], totalSize: 0 });
  });

  it('hands what fits to the skill, and fills defaults in (SEED-34)', async () => {
    const task = await client.task('SendMessage', aMessage(TEXT, { skillId: 'summarize_text' }));
    expect(task).toMatchObject({
      status: { state: 'TASK_STATE_COMPLETED' },
      artifacts: [{ artifactId: 'summary', metadata: { length: 'medium', sentencesRead: 5 } }],
    });
  });

  it('is in the card and at GET /skills/{id}/schema (SEED-34)', async () => {
    const card = (await (await fetch(`${running.url}/.well-known/agent-card.json`)).json()) as AgentCard;
    const extension = card.capabilities.extensions?.find(({ uri }) => uri === SKILL_SCHEMA_EXTENSION);
    const response = await fetch(`${running.url}/skills/summarize_text/schema`);
    const schema = (await response.json()) as { readonly input: unknown };
    expect(schema).toMatchObject({ id: 'summarize_text', input: { properties: { length: { default: 'medium' } } } });
    expect(extension?.params).toMatchObject({ skills: { summarize_text: { input: schema.input } } });
    expect((await fetch(`${running.url}/skills/nope/schema`)).status).toBe(404);
  });
});
