import { describe, expect, it } from '@jest/globals';
import { StreamSlots } from './stream-slots.js';

const acme = { tenant: 'acme', client: 'a' };

describe(StreamSlots.name, () => {
  const slots = (): StreamSlots => new StreamSlots({ streamsPerClient: 2, streamsPerTenant: 3, streamsPerProcess: 4 });

  it('refuses a client, a tenant and everybody beyond their numbers (A2A-STRM-07)', () => {
    const all = slots();
    all.take(acme);
    all.take(acme);
    expect(() => all.take(acme)).toThrow('Too many open streams: at most 2');
    all.take({ ...acme, client: 'b' });
    expect(() => all.take({ ...acme, client: 'c' })).toThrow('at most 3');
    all.take({ tenant: 'other', client: 'a' });
    expect(() => all.take({ tenant: 'third', client: 'a' })).toThrow('at most 4');
  });

  it('frees a slot once, however often it is given back (TRAP-59)', () => {
    const all = slots();
    const first = all.take(acme);
    all.take(acme);
    first();
    first();
    all.take(acme);
    expect(() => all.take(acme)).toThrow('Too many open streams');
  });
});
