import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { completed, inputRequired, type SkillEvent } from '@parley/sdk/skill/events.js';
import { Skill, type SkillContext, type SkillHandler } from '@parley/sdk/skill/skill.js';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';

/** Asks, and then says what it was asked with. */
async function* askAndTell({
  turn,
  metadata,
  acceptedOutputModes,
}: SkillContext): AsyncGenerator<SkillEvent, void, void> {
  await Promise.resolve();
  yield turn === 1 ? inputRequired('And?') : completed([{ data: { metadata, acceptedOutputModes } }]);
}

const about = (id: string) => ({ id, name: id, description: 'For tests', tags: [] });

@Skill({ ...about('asks'), outputModes: ['text/plain', 'application/json'] })
class AskingSkill implements SkillHandler {
  readonly run = askAndTell;
}

@Skill({ ...about('guarded'), scopes: ['skill:guarded'] })
class GuardedSkill implements SkillHandler {
  readonly run = askAndTell;
}

@Skill({ ...about('witness'), outputModes: ['application/json'] })
class WitnessSkill implements SkillHandler {
  async *run({ turn, principal, senders }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const told = { principal, senders: [...(await senders())] };
    yield turn === 1 ? inputRequired([{ data: told }]) : completed([{ data: told }]);
  }
}

const CATALOG = { skills: [AskingSkill, GuardedSkill, WitnessSkill] };
const secretOf = (client: string): string => `${client}.secret`;
const keyOf = (client: string, scopes: string): string => apiKeyEntry(secretOf(client), { tenant: 'acme', scopes });

describe('a message that continues a task', () => {
  let running: RunningApp;
  let client: RpcClient;

  beforeAll(async () => {
    running = await runApp({ DEFAULT_SKILL: 'asks' }, CATALOG);
    client = new RpcClient(running.url);
  });

  afterAll(() => running.close());

  it('is refused when its skill takes no such part, and leaves the task as it is (A2A-SEND-12, M3)', async () => {
    const task = await client.task('SendMessage', aMessage('Hello'));
    const file = [{ raw: 'AA==', mediaType: 'image/png' }];
    const { error } = await client.call('SendMessage', aMessage('', { taskId: task.id, parts: file }));
    expect(error).toMatchObject({ code: -32005, message: expect.stringContaining('image/png is not accepted') });
    expect(await client.task('GetTask', { id: task.id })).toEqual(task);
  });

  it('is refused when no accepted output mode can be produced (A2A-SEND-17, M3)', async () => {
    const { id: taskId } = await client.task('SendMessage', aMessage('Hello'));
    const configuration = { acceptedOutputModes: ['image/png'] };
    const { error } = await client.call('SendMessage', { ...aMessage('x', { taskId }), configuration });
    expect(error?.code).toBe(-32005);
  });

  it('brings its output modes and its metadata to the skill (M3)', async () => {
    const modes = (...acceptedOutputModes: string[]) => ({ configuration: { acceptedOutputModes } });
    const first = { ...aMessage('Hello'), ...modes('text/plain'), metadata: { a: 1, b: 1 } };
    const { id: taskId } = await client.task('SendMessage', first);
    const next = { ...aMessage('x', { taskId }), ...modes('application/json'), metadata: { b: 2 } };
    const task = await client.task('SendMessage', next);
    const told = { metadata: { a: 1, b: 2 }, acceptedOutputModes: ['application/json'] };
    expect(task.status.message?.parts).toEqual([{ data: told }]);
    expect(task.metadata).toEqual({ a: 1, b: 2 });
  });

  it('leaves modes and metadata as they were when it states none', async () => {
    const first = { ...aMessage('Hello'), configuration: { acceptedOutputModes: ['text/*'] }, metadata: { a: 1 } };
    const { id: taskId } = await client.task('SendMessage', first);
    const task = await client.task('SendMessage', aMessage('x', { taskId }));
    expect(task.status.message?.parts).toEqual([{ data: { metadata: { a: 1 }, acceptedOutputModes: ['text/*'] } }]);
  });

  it('needs the scopes of the skill, whoever began the task (H4)', async () => {
    const scopes = 'a2a:message.send a2a:tasks.read a2a:tasks.cancel';
    const keys = [keyOf('plain', scopes), keyOf('trusted', `${scopes} skill:guarded`)];
    const variables = { DEFAULT_SKILL: 'asks', OWNERSHIP: 'tenant', API_KEYS: keys.join(';') };
    const secured = await runApp(variables, CATALOG);
    try {
      const [plain, trusted] = ['plain', 'trusted'].map(
        (who) => new RpcClient(secured.url, { 'x-api-key': secretOf(who) }),
      );
      const task = await trusted?.task('SendMessage', aMessage('Hello', { skillId: 'guarded' }));
      const answer = aMessage('yes', { taskId: task?.id });
      expect((await plain?.call('SendMessage', answer))?.error).toMatchObject({
        message: expect.stringContaining('skill:guarded'),
      });
      expect((await plain?.call('CancelTask', { id: task?.id }))?.error).toMatchObject({
        message: expect.stringContaining('skill:guarded'),
      });
      expect(await plain?.task('GetTask', { id: task?.id })).toEqual(task);
      expect((await trusted?.task('SendMessage', answer))?.status.state).toBe('TASK_STATE_COMPLETED');
    } finally {
      await secured.close();
    }
  });

  it('comes with its own sender, who need not be the one that began the task', async () => {
    const scopes = 'a2a:message.send a2a:tasks.read';
    const API_KEYS = [keyOf('asker', scopes), keyOf('treasurer', scopes)].join(';');
    const secured = await runApp({ DEFAULT_SKILL: 'asks', OWNERSHIP: 'tenant', API_KEYS }, CATALOG);
    const as = (who: string): RpcClient => new RpcClient(secured.url, { 'x-api-key': secretOf(who) });
    try {
      const asker = { tenant: 'acme', client: 'asker' };
      const begun = await as('asker').task('SendMessage', aMessage('Hello', { skillId: 'witness' }));
      expect(begun.status.message?.parts).toEqual([{ data: { principal: asker, senders: [asker] } }]);
      const ended = await as('treasurer').task('SendMessage', aMessage('yes', { taskId: begun.id }));
      const sender = { tenant: 'acme', client: 'treasurer', scopes: scopes.split(' ') };
      expect(ended.status.message?.parts).toEqual([{ data: { principal: asker, senders: [sender] } }]);
      expect(ended.metadata).toBeUndefined();
    } finally {
      await secured.close();
    }
  });
});
