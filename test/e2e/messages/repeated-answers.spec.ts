import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { QUESTIONS_EXTENSION } from '@parley/protocol/extension/questions.js';
import type { Task } from '@parley/protocol/model/task.js';
import { completed, inputRequired, type SkillEvent } from '@parley/sdk/skill/events.js';
import { Skill, type SkillContext, type SkillHandler } from '@parley/sdk/skill/skill.js';
import { Receiver } from '../../integration/webhooks/receiver.js';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { eventually } from '../../kit/run/eventually.js';
import { McpClient, TASKS } from '../../kit/callers/mcp-client.js';
import { RestClient } from '../../kit/callers/rest-client.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';
import { settingsFile } from '../../kit/app/settings-file.js';

const MODES = ['text/plain', 'application/json'];
const INPUT = { type: 'object', properties: { go: { type: 'string' } } } as const;

/** Asks twice, each time by ending its turn. */
@Skill({
  id: 'twice',
  name: 'Twice',
  description: 'For tests',
  tags: [],
  scopes: ['acme:twice'],
  inputModes: MODES,
  input: INPUT,
})
class TwiceSkill implements SkillHandler {
  async *run({ turn, text }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    await Promise.resolve();
    if (turn === 1) yield inputRequired('Send the offer?');
    else if (turn === 2) yield inputRequired('Delete the archive?');
    else yield completed(`deleted: ${text}`);
  }
}

/** Asks several at once: two persons, or two questions. */
@Skill({ id: 'many', name: 'Many', description: 'For tests', tags: [] })
class ManySkill implements SkillHandler {
  async *run({ ask, text }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    if (text === 'votes') await ask({ question: 'Pay?', approvers: { count: 2 } });
    else if (text === 'eyes') await ask({ question: 'Pay?', approvers: { count: 2, fourEyes: true } });
    else await Promise.all([ask('One?'), ask('Two?')]);
    yield completed('all answered');
  }
}

/** Asks twice within its turn. */
@Skill({ id: 'in_turn', name: 'In turn', description: 'For tests', tags: [] })
class InTurnSkill implements SkillHandler {
  async *run({ ask }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const [one, two] = [await ask('Send the offer?'), await ask('Delete the archive?')];
    yield completed(`deleted: ${JSON.stringify([one.value, two.value])}`);
  }
}

const SKILLS = [TwiceSkill, ManySkill, InTurnSkill];
const SCOPES = 'a2a:message.send,a2a:tasks.read';
const key = (client: string): string => `${client}.secret-of-a-client-of-these-tests`;
const headersOf = (client: string) => ({ 'x-api-key': key(client) });
const keysOf = (rights: Readonly<Record<string, string>>): string =>
  Object.entries(rights)
    .map(([client, scopes]) => apiKeyEntry(key(client), { tenant: 'acme', client, scopes }))
    .join(';');
/** A blocking call waits for a minute: what is answered within this did not wait for an event. */
const AT_ONCE_MS = 20_000;

describe('an answer', () => {
  const keyPrefix = `test-${randomUUID()}`;
  const receiver = new Receiver((request, response) => {
    response.end(new URL(request.path, 'http://receiver').searchParams.get('validationToken') ?? '');
  });
  const running: RunningApp[] = [];
  let ann: RpcClient;
  let bob: RpcClient;
  /** The service after its keys were changed: ann has lost the scope of the skill. */
  let lessAnn: RpcClient;

  beforeAll(async () => {
    await receiver.listen();
    const variables = {
      ...{ KEY_PREFIX: keyPrefix, OWNERSHIP: 'tenant', MCP: 'true', DEFAULT_SKILL: 'in_turn' },
      ...{
        EGRESS_ALLOW: `${receiver.host}=127.0.0.1/32!http`,
        PARLEY_FILE: settingsFile({ tasks: { askAfterMs: 0 }, webhooks: { challenge: true } }),
      },
      ...{ RATE_WRITE: '60000/1000', RATE_READ: '60000/1000' },
    };
    const full = `${SCOPES},acme:twice`;
    for (const rights of [
      { ann: full, bob: full },
      { ann: SCOPES, bob: full },
    ]) {
      running.push(await runApp({ ...variables, API_KEYS: keysOf(rights) }, { skills: SKILLS }));
    }
    [ann, bob] = [new RpcClient(urlOf(0), headersOf('ann')), new RpcClient(urlOf(0), headersOf('bob'))];
    lessAnn = new RpcClient(urlOf(1), headersOf('ann'));
  });

  afterAll(async () => {
    for (const one of running) await one.close();
    await receiver.close();
  });

  const urlOf = (at: number): string => running[at]?.url ?? '';
  const read = (id: string): Promise<Task> => ann.task('GetTask', { id, historyLength: 50 });
  const shows = (id: string, words: string): Promise<Task> =>
    eventually(async () => {
      const task = await read(id);
      expect(JSON.stringify(task.status)).toContain(words);
      return task;
    });
  const begun = async (text: string, skillId: string): Promise<string> => {
    const params = { ...aMessage(text, { skillId }), configuration: { returnImmediately: true } };
    return (await ann.task('SendMessage', params)).id;
  };
  const twice = async (): Promise<string> => {
    const { id } = await ann.task('SendMessage', aMessage('', { parts: [{ data: { go: 'x' } }], skillId: 'twice' }));
    return id;
  };

  it.each(['votes', 'eyes', 'questions'])(
    'that leaves the task waiting comes back at once: %s (S2, A2A-BLK-02)',
    async (what) => {
      const taskId = await begun(what, 'many');
      const { status } = await shows(taskId, what === 'questions' ? 'Two?' : 'Pay?');
      const shown = status.message?.metadata?.[QUESTIONS_EXTENSION] as { questions: readonly { id: string }[] };
      const [question] = shown.questions;
      const voter = what === 'eyes' ? bob : ann;
      const sent = aMessage('yes', { taskId, metadata: { [QUESTIONS_EXTENSION]: { questionId: question?.id } } });
      const answered = Date.now();
      const task = await voter.task('SendMessage', sent);
      expect([task.status.state, Date.now() - answered < AT_ONCE_MS]).toEqual(['TASK_STATE_INPUT_REQUIRED', true]);
      const stream = voter.stream('SendStreamingMessage', sent);
      const states: unknown[] = [];
      for await (const { data } of stream) states.push(data.result?.task?.status.state);
      expect(states[0]).toBe('TASK_STATE_INPUT_REQUIRED');
    },
  );

  it('of another caller with the same id is another message, and changes nothing', async () => {
    const taskId = await twice();
    const answer = aMessage('yes', { taskId });
    await ann.task('SendMessage', answer);
    const before = await shows(taskId, 'Delete the archive?');
    for (const method of ['SendMessage', 'SendStreamingMessage']) {
      const { error } = await bob.call(method, answer);
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('use a new messageId') });
    }
    expect(await read(taskId)).toEqual(before);
  });

  it('is recognised after its caller has lost the scope of the skill, and a new one is refused (B4)', async () => {
    const taskId = await twice();
    const answer = aMessage('yes', { taskId });
    await ann.task('SendMessage', answer);
    await shows(taskId, 'Delete the archive?');
    expect((await lessAnn.task('SendMessage', answer)).id).toBe(taskId);
    const refused = await lessAnn.call('SendMessage', aMessage('no', { taskId }));
    expect(refused.error?.message).toContain('acme:twice');
    await shows(taskId, 'Delete the archive?');
  });

  it('over MCP never answers the next question, also with the next one open and after the end', async () => {
    const client = new McpClient(urlOf(0), headersOf('ann'), { ...TASKS, elicitation: { form: {} } });
    const begin = (await ann.task('SendMessage', aMessage('go', { skillId: 'in_turn' }))).id;
    const open = async (): Promise<string> => {
      const { inputRequests } = await client.result('tasks/get', { taskId: begin });
      return Object.keys(inputRequests as object)[0] ?? '';
    };
    await shows(begin, 'Send the offer?');
    const first = { [await open()]: { action: 'accept', content: { answer: 'yes' } } };
    await client.result('tasks/update', { taskId: begin, inputResponses: first });
    const asked = await shows(begin, 'Delete the archive?');
    await client.request('tasks/update', { taskId: begin, inputResponses: first });
    expect(await read(begin)).toEqual(asked);
    const second = { [await open()]: { action: 'accept', content: { answer: 'no' } } };
    await client.result('tasks/update', { taskId: begin, inputResponses: second });
    const ended = await shows(begin, 'TASK_STATE_COMPLETED');
    await client.request('tasks/update', { taskId: begin, inputResponses: first });
    expect(await read(begin)).toEqual(ended);
  });

  it('does not change what an intent that is called again gets: its task, waiting and after its end', async () => {
    const rest = new RestClient(urlOf(0), headersOf('ann'));
    const named = randomUUID();
    const inputs = { go: 'x' };
    const run = () =>
      rest.call(
        'POST',
        '/run',
        { intent: 'twice', inputs, context: { request_id: named } },
        {
          'content-type': 'application/json',
        },
      );
    const rpc = () => ann.call('twice', { inputs, context: { request_id: named } });
    const seen = async (): Promise<readonly string[]> => [
      JSON.stringify((await run()).body),
      JSON.stringify(await rpc()),
    ];
    const [begunBy = '', again = ''] = await seen();
    const { result } = await ann.call('ListTasks', { historyLength: 1, pageSize: 100 });
    const tasks = (result as unknown as { tasks: readonly Task[] }).tasks.filter(
      ({ history }) => history?.[0]?.messageId === named,
    );
    expect(tasks).toHaveLength(1);
    const taskId = tasks[0]?.id ?? '';
    expect([begunBy, again]).toEqual([expect.stringContaining(taskId), expect.stringContaining(taskId)]);
    for (const [answer, words] of [
      ['yes', 'Delete the archive?'],
      ['no', 'deleted: no'],
    ] as const) {
      await ann.task('SendMessage', aMessage(answer, { taskId }));
      const before = await shows(taskId, words);
      await seen();
      expect(await read(taskId)).toEqual(before);
    }
  });

  it('and a first message are recognised while the receiver of their webhook is down (B4)', async () => {
    const config = { taskPushNotificationConfig: { url: `http://${receiver.host}/hook` } };
    const first = { ...aMessage('go', { skillId: 'in_turn' }), configuration: config };
    const { id: taskId } = await ann.task('SendMessage', first);
    await shows(taskId, 'Send the offer?');
    const answer = { ...aMessage('yes', { taskId }), configuration: config };
    await ann.task('SendMessage', answer);
    const before = await shows(taskId, 'Delete the archive?');
    await receiver.close();
    for (const params of [first, answer]) expect((await ann.task('SendMessage', params)).id).toBe(taskId);
    const { error } = await ann.call('SendMessage', { ...aMessage('new', { taskId }), configuration: config });
    expect(error?.code).toBe(-32602);
    expect(await read(taskId)).toEqual(before);
  });
});
