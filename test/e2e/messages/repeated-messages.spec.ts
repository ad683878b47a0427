import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { completed, inputRequired, type SkillEvent } from '@parley/sdk/skill/events.js';
import { Skill, type SkillContext, type SkillHandler } from '@parley/sdk/skill/skill.js';
import { EVERY_WAY, type Subject } from '../../kit/callers/every-way.js';
import { WireClient } from '../../kit/callers/wire-client.js';
import { DialectClient } from '../../kit/callers/dialect-client.js';
import { eventually } from '../../kit/run/eventually.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';
import { settingsFile } from '../../kit/app/settings-file.js';

/** Asks twice, each time by ending its turn. */
@Skill({ id: 'twice', name: 'Twice', description: 'For tests', tags: [] })
class TwiceSkill implements SkillHandler {
  async *run({ turn, text }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    await Promise.resolve();
    if (turn === 1) yield inputRequired('Send the offer?');
    else if (turn === 2) yield inputRequired('Delete the archive?');
    else yield completed(`deleted: ${text}`);
  }
}

/** Asks twice within its turn. */
@Skill({ id: 'asks-twice', name: 'Asks twice', description: 'For tests', tags: [] })
class AsksTwiceSkill implements SkillHandler {
  async *run(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const first = await context.ask('Send the offer?');
    const second = await context.ask('Delete the archive?');
    yield completed(JSON.stringify([first.value, second.value]));
  }
}

const SENDS = ['SendMessage', 'SendStreamingMessage'] as const;
/** Every way to send a message whose id the caller makes. */
const WAYS = EVERY_WAY.filter(({ calls }) => calls.SendMessage !== undefined);
const NAMES = WAYS.map(({ name }) => name);

describe('a message that is sent again', () => {
  let running: RunningApp;
  let client: RpcClient;
  let wire: WireClient;

  beforeAll(async () => {
    running = await runApp(
      {
        GRPC_PORT: '0',
        DEFAULT_SKILL: 'twice',
        PARLEY_FILE: settingsFile({ tasks: { askAfterMs: 0 } }),
        RATE_WRITE: '60000/1000',
        RATE_READ: '60000/1000',
      },
      { skills: [TwiceSkill, AsksTwiceSkill] },
    );
    client = new RpcClient(running.url);
    wire = new WireClient(running.url, running.grpc ?? '');
  });

  afterAll(async () => {
    wire.close();
    await running.close();
  });

  const begin = async (skillId = 'twice'): Promise<string> =>
    (await client.task('SendMessage', aMessage('Hello', { skillId }))).id;
  const read = (id: string) => client.task('GetTask', { id, historyLength: 50 });
  const asks = (id: string, question: string) =>
    eventually(async () => {
      const { status } = await read(id);
      expect([status.state, JSON.stringify(status.message)]).toEqual([
        'TASK_STATE_INPUT_REQUIRED',
        expect.stringContaining(question),
      ]);
    });

  /** Sends one message in every way, blocking and as a stream, and expects an answer in each. */
  async function sendEveryWay(subject: Subject): Promise<void> {
    for (const { name, calls } of WAYS) {
      for (const operation of SENDS) {
        const call = calls[operation]?.(subject);
        const answer = call && (await wire.call(call));
        expect([name, operation, answer?.status, answer?.body]).not.toContainEqual(expect.stringMatching(/"error":/));
        expect(['OK', 200]).toContain(answer?.status);
      }
    }
  }

  it.each(NAMES)('answers with the task, in every way, where it came first over %s (B1, A2A-SEND-14)', async (name) => {
    const way = WAYS.find((one) => one.name === name);
    for (const skillId of ['twice', 'asks-twice']) {
      const taskId = await begin(skillId);
      const subject = { taskId, configId: '', messageId: `answer-${taskId}` };
      await asks(taskId, 'Send the offer?');
      const call = way?.calls.SendMessage?.(subject);
      expect(['OK', 200]).toContain(call && (await wire.call(call)).status);
      await asks(taskId, 'Delete the archive?');
      const asked = await read(taskId);

      await sendEveryWay(subject);
      expect(await read(taskId)).toEqual(asked);

      const last = await client.task('SendMessage', aMessage('no', { taskId }));
      expect(last.status.state).toBe('TASK_STATE_COMPLETED');
      await sendEveryWay(subject);
      expect(await read(taskId)).toEqual(await read(taskId));
      expect((await read(taskId)).history?.filter(({ messageId }) => messageId === subject.messageId)).toHaveLength(1);
    }
  });

  it('is another message with other content, and the error names the task (B17)', async () => {
    const first = aMessage('Hello');
    const { id: taskId } = await client.task('SendMessage', first);
    const answer = aMessage('yes', { taskId });
    await client.task('SendMessage', answer);
    const others = [
      { message: { ...first.message, parts: [{ text: 'Other' }] } },
      { message: { ...first.message, taskId, parts: [{ text: 'Other' }] } },
      { message: { ...answer.message, parts: [{ text: 'no' }] } },
    ];
    for (const other of others) {
      for (const method of SENDS) {
        const { error } = await client.call(method, other);
        expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('use a new messageId') });
        expect(error?.data).toContainEqual(expect.objectContaining({ metadata: { taskId } }));
      }
    }
  });

  it('begins its task once, whether it names the task by now or not, also while the task asks and after its end', async () => {
    const first = aMessage('Hello');
    const { id: taskId, contextId } = await client.task('SendMessage', first);
    const named = { message: { ...first.message, taskId, contextId } };
    for (const text of ['yes', 'no', 'end']) {
      const before = await read(taskId);
      for (const params of [first, named])
        expect((await client.task('SendMessage', params)).status).toEqual(before.status);
      if (text !== 'end') await client.task('SendMessage', aMessage(text, { taskId }));
    }
    expect((await read(taskId)).history?.filter(({ role }) => role === 'ROLE_USER')).toHaveLength(3);
  });

  it('is taken once of twenty at once, which all get the task (B1)', async () => {
    const taskId = await begin();
    const answer = aMessage('yes', { taskId });
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.task('SendMessage', answer)));
    expect(answers.map(({ id }) => id)).toEqual(answers.map(() => taskId));
    expect(JSON.stringify((await read(taskId)).status)).toContain('Delete the archive?');
  });

  it('is looked up before media types, skills and output modes are judged (B4)', async () => {
    const taskId = await begin('asks-twice');
    const answer = aMessage('', { taskId, parts: [{ data: { answer: 'yes' }, mediaType: 'application/json' }] });
    await asks(taskId, 'Send the offer?');
    await client.task('SendMessage', answer);
    await client.task('SendMessage', aMessage('no', { taskId }));
    const configuration = { acceptedOutputModes: ['image/png'] };
    expect((await client.task('SendMessage', { ...answer, configuration })).status.state).toBe('TASK_STATE_COMPLETED');
  });

  it.each([
    ['another time', { metadata: { skillId: 'twice', timestamp: '2' } }, { metadata: { timestamp: '3' } }],
    [
      'another trace',
      { metadata: { skillId: 'twice', traceparent: 'x', baggage: 'y' } },
      { metadata: { tracestate: 'z' } },
    ],
    ['members in another order', { parts: [{ data: { b: [{ d: 1, c: 2 }], a: 1 } }] }, {}],
    ['empty metadata', { metadata: { skillId: 'twice' }, extensions: ['https://a.example'] }, { metadata: {} }],
    [
      'the implied media type',
      { parts: [{ data: { a: 1, b: [{ c: 2, d: 1.0 }] }, mediaType: 'application/json' }] },
      {},
    ],
    [
      'the time of an extension',
      { metadata: { skillId: 'twice', 'github.com/a2aproject/a2a-samples/extensions/timestamp/v1/timestamp': '9' } },
      {},
    ],
  ])('is the same with %s (B2)', async (_what, changed, request) => {
    const parts = [{ data: { a: 1, b: [{ c: 2, d: 1 }] } }];
    const first = aMessage('', { parts: 'parts' in changed ? parts : [{ text: 'x' }], metadata: { skillId: 'twice' } });
    const begun = await client.call('SendMessage', first);
    const again = await client.call('SendMessage', { message: { ...first.message, ...changed }, ...request });
    expect([again.error, again.result?.task?.id]).toEqual([begun.error, begun.result?.task?.id]);
  });

  it('of protocol 0.1, which has no ids, is the same until the next question, in any order of members', async () => {
    const old = new DialectClient(running.url);
    const id = `named-${String(Date.now())}`;
    const parts = [{ type: 'text', text: 'yes' }];
    const first = {
      role: 'user',
      parts: [{ type: 'text', text: 'Hello' }],
      metadata: { skillId: 'twice', timestamp: 1 },
    };
    await old.result('tasks/send', { id, message: first });
    const asked = (question: string) =>
      eventually(async () => expect(JSON.stringify(await old.result('tasks/get', { id }))).toContain(question));
    await asked('Send the offer?');
    await old.result('tasks/send', { id, message: { ...first, metadata: { timestamp: 2, skillId: 'twice' } } });
    await asked('Send the offer?');
    await Promise.all(
      Array.from({ length: 5 }, () => old.result('tasks/send', { id, message: { role: 'user', parts } })),
    );
    await asked('Delete the archive?');
    await old.result('tasks/send', { id, message: { parts, role: 'user' } });
    await asked('deleted: yes');
  });

  it('of protocol 0.1 with an id is the same for the life of its task', async () => {
    const old = new DialectClient(running.url);
    const id = `named-too-${String(Date.now())}`;
    await old.result('tasks/send', { id, message: { role: 'user', parts: [{ type: 'text', text: 'Hello' }] } });
    const answer = { role: 'user', parts: [{ type: 'text', text: 'yes' }], messageId: 'm1' };
    const question = async () => JSON.stringify((await old.result('tasks/get', { id })).status);
    await eventually(async () => expect(await question()).toContain('Send the offer?'));
    await old.result('tasks/send', { id, message: answer });
    await eventually(async () => expect(await question()).toContain('Delete the archive?'));
    await old.result('tasks/send', { id, message: answer });
    expect(await question()).toContain('Delete the archive?');
  });
});
