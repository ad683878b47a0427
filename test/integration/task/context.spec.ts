import { describe, expect, it } from '@jest/globals';
import { ContextStore } from '../../../src/task/context.store.js';
import { useTaskStores } from '../../kit/store-suite.js';
import { OWNER } from '../../kit/task-stores.js';

const stores = useTaskStores();

describe(ContextStore.name, () => {
  it('keeps values per owner and context (SEED-19)', async () => {
    const { contexts } = stores.now;
    await contexts.of(OWNER, 'c1').set('place', { name: 'Oslo' });
    expect(await contexts.of(OWNER, 'c1').get('place')).toEqual({ name: 'Oslo' });
    expect(await contexts.of(`${OWNER}2`, 'c1').get('place')).toBeUndefined();
    expect(await contexts.of(OWNER, 'c2').get('place')).toBeUndefined();
  });

  it('lets one of many be the first, and tells all of them who it is', async () => {
    const values = stores.now.contexts.of(OWNER, 'race');
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_unused, runner) => values.setIfAbsent('first', { runner })),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(await values.get('first')).toEqual(answers[0]);
  });
});
