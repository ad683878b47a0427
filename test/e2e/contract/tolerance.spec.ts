import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { completed, type SkillEvent } from '@parley/sdk/skill/events.js';
import { Skill, type SkillContext, type SkillHandler } from '@parley/sdk/skill/skill.js';
import { RestClient } from '../../kit/callers/rest-client.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';

const SECRET = 'the plan of the agent';

/** Keeps its plan in every place that a skill has for itself. */
@Skill({ id: 'opaque', name: 'Opaque', description: 'For tests', tags: [] })
class OpaqueSkill implements SkillHandler {
  async *run({ state, shared, step }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    await step('plan', async () => SECRET);
    await state.set('plan', SECRET);
    await shared('context').set('plan', SECRET);
    yield completed('Done');
  }
}

let running: RunningApp;
let client: RpcClient;

describe('tolerance', () => {
  beforeAll(async () => {
    running = await runApp({ DEFAULT_SKILL: 'opaque' }, { skills: [OpaqueSkill] });
    client = new RpcClient(running.url);
  });

  afterAll(async () => {
    await running.close();
  });

  describe('a request', () => {
    it('may have empty arrays outside of parts (TRAP-10)', async () => {
      const task = await client.task('SendMessage', {
        ...aMessage('x', { extensions: [], referenceTaskIds: [] }),
        configuration: { acceptedOutputModes: [] },
      });
      expect(task.status.state).toBe('TASK_STATE_COMPLETED');
      expect((await client.call('SendMessage', aMessage('x', { parts: [] }))).error?.code).toBe(-32602);
    });

    it('may have members that nobody knows, at any depth (TRAP-45, A2A-JSON-04)', async () => {
      const task = await client.task('SendMessage', {
        ...aMessage('x', { parts: [{ text: 'x', future: { a: 1 } }], future: true }),
        configuration: { future: [1] },
        future: 'x',
      });
      expect(task.status.state).toBe('TASK_STATE_COMPLETED');
      expect((await client.call('GetTask', { id: task.id, future: {} })).error).toBeUndefined();
    });

    it('gets the true state with returnImmediately, also when the task has ended (TRAP-08)', async () => {
      const repeated = aMessage('x');
      const { id } = await client.task('SendMessage', repeated);
      const again = await client.task('SendMessage', { ...repeated, configuration: { returnImmediately: true } });
      expect(again).toMatchObject({ id, status: { state: 'TASK_STATE_COMPLETED' } });
    });
  });

  describe('a webhook that is created by REST', () => {
    it('belongs to the task of the path, and a body that names another one is refused (TRAP-37, A2A-PCFG-09)', async () => {
      const rest = new RestClient(running.url);
      const { id } = await client.task('SendMessage', aMessage('x'));
      const path = `/tasks/${id}/pushNotificationConfigs`;
      const url = 'https://example.com/hook';
      const created = await rest.call('POST', path, { url });
      expect(created).toMatchObject({ status: 200, body: { taskId: id, url } });
      const wrong = await rest.call('POST', path, { url, taskId: '00000000-0000-4000-8000-000000000000' });
      expect(wrong).toMatchObject({ status: 400, body: { error: { details: [{ reason: 'INVALID_PARAMS' }, {}] } } });
    });
  });

  describe('an agent', () => {
    it('shows nothing of its steps, its state and its memory (SEED-26)', async () => {
      const { id, contextId } = await client.task('SendMessage', aMessage('x'));
      const answers = await Promise.all([
        client.call('GetTask', { id }),
        client.call('ListTasks', { contextId, includeArtifacts: true }),
      ]);
      expect(answers[1].result).toMatchObject({ totalSize: 1 });
      expect(JSON.stringify(answers)).not.toContain(SECRET);
    });
  });
});
