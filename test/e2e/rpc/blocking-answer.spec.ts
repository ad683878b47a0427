import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../kit/run/eventually.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';

const NO_PDF = { raw: Buffer.from('%PDF-no').toString('base64'), mediaType: 'application/pdf' };

/** `pay_invoice` asks for what is missing. */
const anInvoice = () =>
  aMessage('', {
    parts: [{ data: { invoiceNumber: 'H1', total: 50_000, currency: 'EUR' } }],
    skillId: 'pay_invoice',
  });

describe('the answer of a blocking send', () => {
  let running: RunningApp;
  let client: RpcClient;

  beforeAll(async () => {
    running = await runApp({ DEFAULT_SKILL: 'echo' });
    client = new RpcClient(running.url);
  });

  afterAll(() => running.close());

  it.each([
    ['a skill that answers at once', aMessage('Hello', { skillId: 'echo' })],
    ['an artifact that grows', aMessage('1', { skillId: 'countdown' })],
    ['a skill that rejects its file', aMessage('', { parts: [NO_PDF], skillId: 'extract_invoice_data' })],
    ['a task that several skills could take, and so none', aMessage('', { parts: [{ data: {} }] })],
    [
      'metadata and a context of the caller',
      { ...aMessage('Hello', { contextId: 'mine' }), metadata: { a: [1, null] } },
    ],
  ])('is the task as it can be read: %s (A2A-SEND-05)', async (_what, params) => {
    const answered = await client.task('SendMessage', params);

    expect(answered).toEqual(await client.task('GetTask', { id: answered.id }));
  });

  it('has the messages that others sent meanwhile', async () => {
    const sending = client.task('SendMessage', aMessage('2', { skillId: 'countdown' }));
    const id = await eventually(async () => {
      const { result } = await client.call('ListTasks', { status: 'TASK_STATE_WORKING' });
      const [task] = result?.tasks as readonly { readonly id: string }[];
      if (task === undefined) throw new Error('no task yet');
      return task.id;
    });
    const { message } = aMessage('1');
    await client.call('SendMessage', {
      message: { ...message, taskId: id },
      configuration: { returnImmediately: true },
    });

    const answered = await sending;

    expect(answered.history?.map(({ messageId }) => messageId)).toContain(message.messageId);
    expect(answered).toEqual(await client.task('GetTask', { id }));
  });

  it.each(['SendMessage', 'SendStreamingMessage'])(
    'comes at once where the answer does not fit the question: %s (S2, A2A-BLK-02)',
    async (method) => {
      const { id: taskId } = await client.task('SendMessage', anInvoice());
      const answered = Date.now();
      const params = aMessage('maybe later', { taskId });
      if (method === 'SendMessage') {
        const task = await client.task(method, params);
        expect(task.status).toMatchObject({ state: 'TASK_STATE_INPUT_REQUIRED' });
        expect(JSON.stringify(task.status.message)).toContain('does not fit');
      } else for await (const _event of client.stream(method, params));
      expect(Date.now() - answered).toBeLessThan(15_000);
    },
  );

  it.each([0, 1, undefined])(
    'has as much history in a stream as was asked for: %s (B8, A2A-HIST-05)',
    async (length) => {
      const configuration = length === undefined ? {} : { configuration: { historyLength: length } };
      const first = anInvoice();
      const seen: number[] = [];
      const { id: taskId } = await client.task('SendMessage', anInvoice());
      for (const params of [first, aMessage('maybe', { taskId })]) {
        for await (const { data } of client.stream('SendStreamingMessage', { ...params, ...configuration })) {
          const task = data.result?.task;
          if (task !== undefined) seen.push(task.history?.length ?? 0);
        }
      }
      expect(seen.map((count) => Math.min(count, 2))).toEqual(length === undefined ? [1, 2] : [length, length]);
    },
  );
});
