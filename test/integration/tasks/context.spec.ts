import { describe, expect, it } from '@jest/globals';
import { ContextFull, ContextStore, type ContextValues } from '../../../src/tasks/values/context.store.js';
import { StoredBytes } from '../../../src/tasks/lists/stored-bytes.js';
import { allKeys } from '../../kit/checks/invariants.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';
import { OWNER } from '../../kit/tasks/task-stores.js';

let stores: ReturnType<typeof useTaskStores>;
const ACCOUNTS = { tenantAccount: 't:default', clientAccount: 'c:default/tests' } as const;

function valuesOf(contextId: string, owner = OWNER, { contexts } = stores.now): ContextValues {
  return contexts.of({ owner, contextId, accounts: ACCOUNTS });
}

function counted(): Promise<{ readonly tenant: number; readonly client: number }> {
  return new StoredBytes(stores.now.redis, stores.now.options).of({ tenant: 'default', client: 'tests' });
}

describe(ContextStore.name, () => {
  stores = useTaskStores();

  it('keeps values per owner and context (A2A-ID-06, SEED-19)', async () => {
    await valuesOf('c1').set('place', { name: 'Oslo' });
    expect(await valuesOf('c1').get('place')).toEqual({ name: 'Oslo' });
    expect(await valuesOf('c1', `${OWNER}2`).get('place')).toBeUndefined();
    expect(await valuesOf('c2').get('place')).toBeUndefined();
    for (const key of (await allKeys(stores.now)).filter((name) => name.includes('context:')))
      expect(await stores.now.redis.pttl(key)).toBeGreaterThan(0);
  });

  it('lets one of many be the first, and tells all of them who it is', async () => {
    const values = valuesOf('race');
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_unused, runner) => values.setIfAbsent('first', { runner })),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(await values.get('first')).toEqual(answers[0]);
  });

  it('refuses what exceeds the bytes or the number of values of a context, and writes nothing of it (I10)', async () => {
    const few = stores.now.with({ mostContextBytes: 1_000, mostContextValues: 3 });
    const values = valuesOf('bounded', OWNER, few);
    await values.set('a', 'x'.repeat(700));
    await expect(values.set('b', 'x'.repeat(300))).rejects.toThrow(ContextFull);
    await expect(values.setIfAbsent('b', 'x'.repeat(300))).rejects.toThrow(ContextFull);
    expect(await values.get('b')).toBeUndefined();

    await values.set('a', 'x'.repeat(900));
    await values.set('a', 'y');
    await values.set('b', 'x'.repeat(300));
    await values.set('c', 1);
    await expect(values.set('d', 1)).rejects.toThrow(ContextFull);
    expect([await values.setIfAbsent('c', 2), await values.get('a')]).toEqual([1, 'y']);
  });

  it('counts for client and tenant, and gives back what is replaced and what is forgotten (I10)', async () => {
    const values = valuesOf('counted');
    await values.set('name', 'x'.repeat(98));
    await values.setIfAbsent('name', 'longer, and not stored');
    expect(await counted()).toEqual({ tenant: 104, client: 104 });
    await values.set('name', 'x');
    expect(await counted()).toEqual({ tenant: 7, client: 7 });
    await valuesOf('another').set('n', 1);

    expect(await stores.now.contexts.forget(OWNER, 'counted')).toBe(1);
    expect(await counted()).toEqual({ tenant: 2, client: 2 });
    expect(await stores.now.contexts.forget(OWNER, undefined)).toBe(1);
    expect(await allKeys(stores.now)).toEqual([]);
  });

  it('forgets a context when nothing was written for its time, and gives its bytes back', async () => {
    const over = stores.now.with({ interruptedTtlMs: -1 });
    await valuesOf('over', OWNER, over).set('n', 1);
    await valuesOf('fresh').set('n', 1);
    await valuesOf('renewed', OWNER, over).set('n', 1);
    await valuesOf('renewed').setIfAbsent('n', 2);

    expect(await stores.now.contexts.forgetDue(200)).toBe(1);
    expect(await valuesOf('over').get('n')).toBeUndefined();
    expect([await valuesOf('fresh').get('n'), await valuesOf('renewed').get('n')]).toEqual([1, 1]);
    expect(await counted()).toEqual({ tenant: 4, client: 4 });
  });
});
