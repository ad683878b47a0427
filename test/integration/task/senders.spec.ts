import { describe, expect, it } from '@jest/globals';
import { SenderStore, type MessageSender } from '../../../src/task/sender.store.js';
import { useTaskStores } from '../../kit/store-suite.js';
import { aMessage } from '../../kit/task-stores.js';

const stores = useTaskStores();
const ann: MessageSender = { tenant: 't', client: 'portal', subject: 'ann', scopes: ['a2a:message.send'] };
const bob: MessageSender = { tenant: 't', client: 'portal', subject: 'bob', scopes: [] };

const senders = (): SenderStore => new SenderStore(stores.now.redis, stores.now.options);

describe(SenderStore.name, () => {
  it('knows who sent which message, and nobody for a message that was not recorded', async () => {
    const [first, second, other] = [aMessage(), aMessage(), aMessage()];
    const { id: task } = await stores.now.submitted();
    await senders().record(task, first, ann);
    await senders().record(task, second, bob);
    expect(await senders().of(task, [second, other, first])).toEqual([bob, undefined, ann]);
  });

  it('counts no message as that of somebody who sent another one under its id, and keeps the first sender', async () => {
    const { id: task } = await stores.now.submitted();
    const question = aMessage();
    await senders().record(task, question, ann);
    await senders().record(task, question, bob);
    const forged = { ...question, parts: [{ text: 'approve' }] };
    expect(await senders().of(task, [question, forged])).toEqual([ann, undefined]);
  });

  it('does not grow without end, and not for ever', async () => {
    const { id: task } = await stores.now.submitted();
    for (let at = 0; at < 510; at++) await senders().record(task, aMessage(), ann);
    const key = stores.now.keys.senders(task);
    expect(await stores.now.redis.hlen(key)).toBe(500);
    expect(await stores.now.redis.pttl(key)).toBeGreaterThan(0);
  });
});
