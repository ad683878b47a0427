import type { INestApplicationContext } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { listValues, removeValue, setValue } from '../../../src/cli/ops/values.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';

describe('parley ops values', () => {
  const stores = useTaskStores();
  const service = () => ({ get: () => stores.now.operatorValues }) as unknown as INestApplicationContext;

  it('sets, lists and removes the values that skills read as app:<name>, of one tenant (O-50)', async () => {
    const limit = { tenant: 'acme', name: 'limit' };
    expect((await setValue(service(), { ...limit, json: '{"eur": 10000}' })).text).toBe(
      'Skills of "acme" read "app:limit" as {"eur": 10000}.',
    );
    await setValue(service(), { tenant: 'acme', name: 'a', json: '"x"' });
    expect((await listValues(service(), 'acme')).text).toMatch(/^NAME +VALUE\s+a +"x"\s+limit +\{"eur":10000\}$/);
    expect((await listValues(service(), 'other')).text).toBe('No values.');
    expect((await removeValue(service(), limit)).text).toBe('Removed "app:limit".');
    expect((await removeValue(service(), limit)).text).toBe('There is no "app:limit".');
  });

  it.each([
    ['a:b', '1', 'a:b is no name'],
    ['x', 'text', 'text is no JSON'],
    ['x', JSON.stringify('x'.repeat(65_536)), 'at most 65536 bytes'],
  ])('refuses the name %s with its value', async (name, json, message) => {
    await expect(setValue(service(), { tenant: 'acme', name, json })).rejects.toThrow(message);
  });
});
