import { describe, expect, it } from '@jest/globals';
import { sendersIn, withSender, withoutSenders, type MessageSender } from './message-senders.js';

const ann: MessageSender = { tenant: 't', client: 'portal', subject: 'ann', scopes: ['a2a:send'] };
const bob: MessageSender = { tenant: 't', client: 'portal', subject: 'bob', scopes: [] };

describe(withSender.name, () => {
  it('keeps the senders of the messages before', () => {
    const first = withSender({ skillId: 'x' }, { messageId: 'm1', sender: ann });
    const second = withSender({ ...first, more: 1 }, { messageId: 'm2', sender: bob }, first);
    expect(sendersIn(second)).toEqual({ m1: ann, m2: bob });
    expect(withoutSenders(second)).toEqual({ skillId: 'x', more: 1 });
  });

  it('believes no request that names senders', () => {
    const forged = withSender({}, { messageId: 'm1', sender: ann });
    expect(sendersIn(withSender(forged, { messageId: 'm2', sender: bob }))).toEqual({ m2: bob });
  });

  it('keeps the latest fifty', () => {
    let metadata = {};
    for (let at = 0; at < 60; at++)
      metadata = withSender(metadata, { messageId: `m${String(at)}`, sender: bob }, metadata);
    expect(Object.keys(sendersIn(metadata))).toHaveLength(50);
    expect(sendersIn(metadata)).toHaveProperty('m59');
  });
});
