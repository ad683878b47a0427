import { describe, expect, it } from '@jest/globals';
import { CallerSlots } from './caller-slots.js';

class Slots extends CallerSlots {
  constructor() {
    super({ subject: 'open things', most: 5, mostOfTenant: 3, mostOfCaller: 2 });
  }
}

const caller = (tenant: string, client: string) => ({ tenant, client, scopes: 'all', method: 'token' }) as const;

describe(CallerSlots.name, () => {
  it('limits the slots of a caller, a tenant and the process, and frees them', () => {
    const slots = new Slots();
    const take = (tenant: string, client: string) => slots.take(caller(tenant, client));
    const free = take('acme', 'a');
    take('acme', 'a');
    expect(() => take('acme', 'a')).toThrow('Too many open things of one caller: at most 2');
    take('acme', 'b');
    expect(() => take('acme', 'c')).toThrow('Too many open things of one tenant: at most 3');
    take('other', 'a');
    take('other', 'b');
    expect(() => take('third', 'a')).toThrow('Too many open things: at most 5');
    free();
    take('acme', 'a');
    expect(() => take('third', 'a')).toThrow('Too many open things: at most 5');
  });
});
