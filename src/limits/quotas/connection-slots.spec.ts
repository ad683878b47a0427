import { describe, expect, it } from '@jest/globals';
import { ConnectionSlots } from './connection-slots.js';

const acme = { tenant: 'acme', client: 'a', method: 'api-key' };
const quotas = { streamsPerClient: 2, streamsPerTenant: 3, waitingCallsPerClient: 1, waitingCallsPerTenant: 2 };

const slots = (streamsPerProcess = 4): ConnectionSlots => new ConnectionSlots({ ...quotas, streamsPerProcess });

describe(ConnectionSlots.name, () => {
  it('refuses a client, a tenant and the process beyond their limits (A2A-STRM-07)', () => {
    const all = slots();
    all.take('stream', acme);
    all.take('stream', acme);
    expect(() => all.take('stream', acme)).toThrow('Too many open streams: at most 2');
    all.take('stream', { ...acme, client: 'b' });
    expect(() => all.take('stream', { ...acme, client: 'c' })).toThrow('at most 3');
    all.take('stream', { ...acme, tenant: 'other' });
    expect(() => all.take('stream', { ...acme, tenant: 'third' })).toThrow('at most 4');
  });

  it('frees a slot once, however often it is released (TRAP-59)', () => {
    const all = slots();
    const first = all.take('stream', acme);
    all.take('stream', acme);
    first();
    first();
    all.take('stream', acme);
    expect(() => all.take('stream', acme)).toThrow('Too many open streams');
  });

  it('counts waiting calls separately from streams, and both in the process', () => {
    const all = slots();
    all.take('stream', acme);
    all.take('waiting-call', acme);
    expect(() => all.take('waiting-call', acme)).toThrow('Too many waiting calls: at most 1');
    all.take('waiting-call', { ...acme, client: 'b' });
    expect(() => all.take('waiting-call', { ...acme, client: 'c' })).toThrow('Too many waiting calls: at most 2');
    all.take('stream', acme);
    expect(() => all.take('waiting-call', { ...acme, tenant: 'other' })).toThrow(
      'Too many open connections: at most 4',
    );
  });

  it('gives each user of one client slots of its own where tasks belong to users (AGUI-58)', () => {
    const all = new ConnectionSlots({ ...quotas, streamsPerTenant: 25, streamsPerProcess: 50, countsUsers: true });
    const users = Array.from({ length: 21 }, (_, at) => ({ ...acme, subject: `user-${String(at)}` }));
    for (const user of users) all.take('stream', user);
    const [first = acme] = users;
    all.take('stream', first);
    expect(() => all.take('stream', first)).toThrow('Too many open streams: at most 2');
    all.take('stream', acme);
    all.take('stream', acme);
    expect(() => all.take('stream', acme)).toThrow('at most 2');
    all.take('stream', { ...acme, subject: 'another' });
    expect(() => all.take('stream', { ...acme, subject: 'one more' })).toThrow('at most 25');
  });

  it('bounds the waiting calls of the open start by the process only', () => {
    const all = slots(3);
    const local = { tenant: 'default', client: 'local', method: 'local' };
    for (let taken = 0; taken < 3; taken += 1) all.take('waiting-call', local);
    expect(() => all.take('waiting-call', local)).toThrow('Too many open connections');
  });
});
