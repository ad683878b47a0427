import { describe, expect, it } from '@jest/globals';
import { Histogram, Registry } from 'prom-client';
import { TalliedHistogram } from './tallied-histogram.js';

const NAME = 'call_seconds';
const BUCKETS = [0.0025, 0.1, 1, 60];
const VALUES = [0, 0.0025, 0.00250001, 0.05, 0.1, 0.7, 1, 59, 61, 1e9];

/** What a scrape gets of a histogram of prom-client with these values. */
async function plain(labels: readonly string[], values: readonly (readonly [number, ...string[]])[]): Promise<string> {
  const registry = new Registry();
  const histogram = new Histogram({
    ...{ name: NAME, help: 'Calls.', labelNames: labels, buckets: BUCKETS, registers: [registry] },
  });
  for (const [value, ...of] of values) {
    if (labels.length === 0) histogram.observe(value);
    else histogram.labels(...of).observe(value);
  }
  return registry.metrics();
}

async function tallied(
  labels: readonly string[],
  values: readonly (readonly [number, ...string[]])[],
): Promise<string> {
  const registry = new Registry();
  const histogram = new TalliedHistogram(registry, NAME, 'Calls.', { labels, buckets: BUCKETS });
  for (const [value, ...of] of values) histogram.observe(value, ...of);
  const text = await registry.metrics();
  expect(await registry.metrics()).toBe(text);
  return text;
}

describe(TalliedHistogram.name, () => {
  it('is scraped as a histogram of prom-client is, text for text', async () => {
    const values = VALUES.map((value) => [value] as const);
    expect(await tallied([], values)).toBe(await plain([], values));
    expect(await tallied([], [])).toBe(await plain([], []));
    const labeled = VALUES.map((value, at) => [value, at % 2 === 0 ? 'GetTask' : 'Send "x"\n', 'rpc'] as const);
    expect(await tallied(['operation', 'binding'], labeled)).toBe(await plain(['operation', 'binding'], labeled));
    expect(await tallied(['skill'], [])).toBe(await plain(['skill'], []));
    const one = VALUES.map((value) => [value, 'echo'] as const);
    expect(await tallied(['skill'], one)).toBe(await plain(['skill'], one));
  });

  it('leaves out what is no number: recording never throws', async () => {
    expect(await tallied([], [[NaN], [Infinity], [1]])).toBe(await plain([], [[1]]));
  });
});
