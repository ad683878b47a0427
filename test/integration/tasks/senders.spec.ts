import { describe, expect, it } from '@jest/globals';
import type { Message } from '@parley/protocol/model/message.js';
import { SenderStore, type MessageSender } from '../../../src/tasks/questions/sender.store.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';
import { aMessage, asking, OWNER } from '../../kit/tasks/task-stores.js';

let stores: ReturnType<typeof useTaskStores>;
const ann: MessageSender = { tenant: 't', client: 'portal', subject: 'ann', scopes: ['a2a:message.send'] };
const bob: MessageSender = { tenant: 't', client: 'portal', subject: 'bob', scopes: [] };

const senders = (): SenderStore => new SenderStore(stores.now.redis, stores.now.options);

const send = (taskId: string, message: Message, sender: MessageSender, owner = OWNER) =>
  stores.now.tasks.resume(owner, { ...message, taskId }, JSON.stringify(message), { sender });

describe(SenderStore.name, () => {
  stores = useTaskStores();

  it('knows who sent which message, and nobody for a message that was not sent', async () => {
    const [first, second, other] = [aMessage(), aMessage(), aMessage()];
    const { taskId } = await stores.now.running();
    await send(taskId, first, ann);
    await send(taskId, second, bob);
    expect(await senders().of(taskId, [second, other, first])).toEqual([bob, undefined, ann]);
  });

  it('counts no message as that of somebody who sent another one under its id, and keeps the first sender', async () => {
    const { taskId } = await stores.now.running();
    const question = aMessage();
    await send(taskId, question, ann);
    expect(await send(taskId, question, bob)).toMatchObject({ kind: 'sent' });
    const forged = { ...question, parts: [{ text: 'approve' }] };
    expect(await send(taskId, forged, bob)).toEqual({ kind: 'conflict' });
    expect(await senders().of(taskId, [question, forged])).toEqual([ann, undefined]);
  });

  it('keeps the sender of an answer that is sent again after the next question (B1)', async () => {
    const answer = aMessage();
    const { taskId } = await stores.now.waiting();
    const answered = await send(taskId, answer, bob);
    const next = await stores.now.claimed(taskId, 'fence' in answered ? answered.fence : 0);
    await stores.now.runs.commit(next, next.seq, [asking]);
    expect(await send(taskId, answer, ann)).toMatchObject({ kind: 'sent' });
    expect(await senders().of(taskId, [answer])).toEqual([bob]);
  });

  it('records nothing for a message that is refused', async () => {
    const { taskId } = await stores.now.running();
    await send(taskId, aMessage(), ann, 'stranger');
    await send(taskId, { ...aMessage(), contextId: 'elsewhere' }, ann);
    expect(await stores.now.redis.exists(stores.now.keys.senders(taskId))).toBe(0);
  });

  it('is kept as long as the task', async () => {
    const { taskId } = await stores.now.running();
    await send(taskId, aMessage(), ann);
    expect(await stores.now.redis.pttl(stores.now.keys.senders(taskId))).toBeGreaterThan(0);
  });
});
