import { describe, expect, it } from '@jest/globals';
import { Budget, type Share } from './budget.js';

const MIB = 1_048_576;

function taken(share: Share | undefined): Share {
  if (share === undefined) throw new Error('There was no room');
  return share;
}

const budget = (rules = { process: 10 * MIB, client: 5 * MIB }): Budget =>
  new Budget(rules, () => new Error('refused'));

describe(Budget.name, () => {
  it('bounds a client and the process (I15)', () => {
    const all = budget();
    taken(all.tryTake('a', 4 * MIB));
    expect(all.tryTake('a', 2 * MIB)).toBeUndefined();
    taken(all.tryTake('b', 5 * MIB));
    expect(all.tryTake('c', 2 * MIB)).toBeUndefined();
    expect(all.taken).toBe(9 * MIB);
  });

  it('releases a share once, including its growth', () => {
    const all = budget();
    const other = taken(all.tryTake('a', MIB));
    const share = taken(all.tryTake('a', MIB));
    expect(share.grow(3 * MIB)).toBe(true);
    expect(share.grow(2 * MIB)).toBe(false);
    share.free();
    share.free();
    other.free();
    expect(all.taken).toBe(0);
    expect(share.grow(1)).toBe(false);
  });

  it('admits a share larger than the budget when it is the only one', () => {
    const all = budget();
    const large = taken(all.tryTake('a', 60 * MIB));
    expect(all.tryTake('b', MIB)).toBeUndefined();
    expect(all.tryTake('b', 1024)).toBeUndefined();
    large.free();
    taken(all.tryTake('b', 60 * MIB));
  });

  it('keeps a reserve for small shares', () => {
    const all = budget();
    taken(all.tryTake('a', 5 * MIB));
    taken(all.tryTake('b', 5 * MIB));
    taken(all.tryTake('c', 64 * 1024));
    expect(all.tryTake('c', MIB)).toBeUndefined();
  });

  it('queues further shares, in the order in which there is room for them', async () => {
    const all = budget();
    const first = taken(all.tryTake('a', 5 * MIB));
    const order: string[] = [];
    const same = all.take('a', MIB).then(() => order.push('a'));
    const other = all.take('b', MIB).then(() => order.push('b'));
    await other;
    first.free();
    await same;
    expect(order).toEqual(['b', 'a']);
  });

  it('refuses a client that waits for more than eight', async () => {
    const all = budget({ process: 2, client: 1 });
    const shares = [taken(all.tryTake('a', 1))];
    const waiting = Array.from({ length: 8 }, () => all.take('a', 1).then((share) => shares.push(share)));
    await expect(all.take('a', 1)).rejects.toThrow('refused');
    taken(all.tryTake('b', 1)).free();
    for (let given = 0; given < 8; given += 1) {
      shares[given]?.free();
      await Promise.race(waiting.slice(given));
    }
    await Promise.all(waiting);
  });
});
