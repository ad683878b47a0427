import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { TalliedCounter } from './tallied-counter.js';

describe(TalliedCounter.name, () => {
  it('tells each sum once, however often it is scraped', async () => {
    const registry = new Registry();
    const counter = new TalliedCounter(registry, 'calls_total', 'Calls.', ['operation', 'outcome']);
    counter.count('GetTask', 'ok');
    counter.count('GetTask', 'ok');
    counter.count('GetTask', 'TaskNotFound');
    const once = await registry.metrics();
    expect(await registry.metrics()).toBe(once);
    counter.count('GetTask', 'ok');
    const values = (await registry.metrics()).split('\n').filter((line) => line.startsWith('calls_total'));
    expect(values).toEqual([
      'calls_total{operation="GetTask",outcome="ok"} 3',
      'calls_total{operation="GetTask",outcome="TaskNotFound"} 1',
    ]);
  });
});
