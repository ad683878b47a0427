import { describe, expect, it } from '@jest/globals';
import type { SkillEvent } from '../events.js';
import { aContext } from '../../testing/run-skill.js';
import type { SkillInput } from '../../testing/test-input.js';
import type { ExecutionBus } from './execution-bus.js';
import { execute } from './execute.js';

type Work = (request: Record<string, unknown>, bus: ExecutionBus) => Promise<void>;

const status = (state: number, text?: string) => ({
  kind: 'statusUpdate',
  data: { status: { state, ...(text === undefined ? {} : { message: { parts: [textPart(text)] } }) } },
});
const textPart = (text: string) => ({ content: { $case: 'text', value: text }, filename: '', mediaType: '' });

async function run(work: Work, input: SkillInput = { text: 'Hi' }, canceled: string[] = []) {
  const executor = {
    execute: work as never,
    cancelTask: async (taskId: string, bus: ExecutionBus) => {
      canceled.push(taskId);
      bus.publish(status(5));
      bus.finished();
    },
  };
  const events: SkillEvent[] = [];
  for await (const event of execute(aContext(input), executor)) events.push(event);
  return events;
}

describe(execute.name, () => {
  it('gives the executor the message, the task from its second turn on, and the caller', async () => {
    const seen: Record<string, unknown>[] = [];
    const work: Work = async (request, bus) => {
      seen.push(request);
      bus.publish({ kind: 'message', data: { parts: [textPart('Bye')] } });
    };
    const principal = { tenant: 'acme', client: 'app', subject: 'ann' };
    const events = await run(work, { text: 'Hi', data: [{ a: 1 }], principal });
    await run(work, { text: 'Hi', turn: 2 });
    expect(events).toEqual([{ kind: 'status', state: 'TASK_STATE_COMPLETED', parts: [{ text: 'Bye' }] }]);
    expect(seen[0]).toMatchObject({
      userMessage: { role: 1, parts: [{ content: { $case: 'text', value: 'Hi' } }, { content: { $case: 'data' } }] },
      context: { tenant: 'acme', user: { userName: 'ann' } },
    });
    expect(seen.map((request) => 'task' in request)).toEqual([false, true]);
  });

  it('passes events on while the executor works', async () => {
    let isOver = false;
    const executor = {
      execute: (async (_request: unknown, bus: ExecutionBus) => {
        bus.publish(status(2, 'Thinking'));
        await new Promise((resolve) => setImmediate(resolve));
        isOver = true;
        bus.publish(status(6, 'Which city?'));
      }) as never,
      cancelTask: () => Promise.resolve(),
    };
    const events = execute(aContext({ text: 'Hi' }), executor);
    expect((await events.next()).value).toMatchObject({ state: 'TASK_STATE_WORKING', parts: [{ text: 'Thinking' }] });
    expect(isOver).toBe(false);
    expect((await events.next()).value).toMatchObject({ state: 'TASK_STATE_INPUT_REQUIRED' });
    expect((await events.next()).done).toBe(true);
  });

  it('fails the task with the text of the executor, and is retried where the executor throws', async () => {
    const failed = run(async (_request, bus) => bus.publish(status(4, 'No such city')));
    await expect(failed).rejects.toMatchObject({ name: 'SkillFailure', message: 'No such city' });
    await expect(run(() => Promise.reject(new TypeError('A fault')))).rejects.toThrow(TypeError);
  });

  it('cancels the executor', async () => {
    const controller = new AbortController();
    const canceled: string[] = [];
    const work: Work = () => new Promise(() => setImmediate(() => controller.abort()));
    const running = run(work, { text: 'Hi', taskId: 'task-1', signal: controller.signal }, canceled);
    await expect(running).rejects.toThrow('The agent has ended: TASK_STATE_CANCELED.');
    expect(canceled).toEqual(['task-1']);
  });

  it('passes files on as bytes, and takes bytes as base64', async () => {
    const work: Work = async ({ userMessage }, bus) => {
      const { parts } = userMessage as { parts: readonly { content: { value: Buffer } }[] };
      const artifact = { artifactId: 'file', parts: [{ ...parts[0], filename: 'b.txt' }] };
      bus.publish({ kind: 'artifactUpdate', data: { artifact } });
    };
    const parts = [{ raw: Buffer.from('abc').toString('base64'), mediaType: 'text/plain' }];
    expect(await run(work, { parts })).toMatchObject([
      { kind: 'artifact', append: false, parts: [{ raw: 'YWJj', mediaType: 'text/plain', filename: 'b.txt' }] },
    ]);
  });
});
