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
    await senders().record('00000000-0000-4000-8000-000000000001', first, ann);
    await senders().record('00000000-0000-4000-8000-000000000001', second, bob);
    expect(await senders().of('00000000-0000-4000-8000-000000000001', [second, other, first])).toEqual([
      bob,
      undefined,
      ann,
    ]);
  });

  it('counts no message as that of somebody who sent another one under its id, and keeps the first sender', async () => {
    const task = '00000000-0000-4000-8000-000000000002';
    const question = aMessage();
    await senders().record(task, question, ann);
    await senders().record(task, question, bob);
    const forged = { ...question, parts: [{ text: 'approve' }] };
    expect(await senders().of(task, [question, forged])).toEqual([ann, undefined]);
  });

  it('does not grow without end, and not for ever', async () => {
    const task = '00000000-0000-4000-8000-000000000003';
    for (let at = 0; at < 510; at++) await senders().record(task, aMessage(), ann);
    const key = stores.now.keys.senders(task);
    expect(await stores.now.redis.hlen(key)).toBe(500);
    expect(await stores.now.redis.pttl(key)).toBeGreaterThan(0);
  });
});
