import { describe, expect, it } from '@jest/globals';
import { providerFault } from './provider-fault.js';

const NOW = Date.parse('2026-11-27T10:00:00Z');
const of = (status: number, more: object = {}) => providerFault({ status, headers: {}, ...more }, NOW);

describe(providerFault.name, () => {
  it.each([
    [400, 'refused'],
    [401, 'refused'],
    [402, 'spent'],
    [403, 'refused'],
    [404, 'refused'],
    [408, 'unavailable'],
    [409, 'unavailable'],
    [413, 'too-long'],
    [422, 'refused'],
    [429, 'rate'],
    [500, 'unavailable'],
    [503, 'unavailable'],
    [529, 'rate'],
  ])('says what %d means (LLM-13)', (status, kind) => {
    expect(of(status)).toMatchObject({ kind });
  });

  it.each([
    ['seconds', { 'retry-after': '7' }, 7_000],
    ['a date', { 'retry-after': 'Fri, 27 Nov 2026 10:01:00 GMT' }, 60_000],
    ['a date of the past', { 'retry-after': 'Fri, 27 Nov 2026 09:00:00 GMT' }, 0],
    ['ten days', { 'retry-after': '864000' }, 86_400_000],
    ['milliseconds', { 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    ['nothing', {}, undefined],
    ['no time', { 'retry-after': 'soon' }, undefined],
    ['a negative number', { 'retry-after': '-5' }, undefined],
  ])('reads a pause of %s (LLM-18)', (_what, headers, ms) => {
    const { retryAfterMs } = of(429, { headers });
    if (_what === 'a negative number') expect(retryAfterMs ?? 0).toBeGreaterThanOrEqual(0);
    else expect(retryAfterMs).toBe(ms);
  });

  it.each([
    [429, { code: 'insufficient_quota' }, 'spent'],
    [400, { message: 'Your credit balance is too low to access the API.' }, 'spent'],
    [400, { message: 'prompt is too long: 210000 tokens > 200000 maximum' }, 'too-long'],
    [400, { message: 'The input token count (2000000) exceeds the maximum number of tokens allowed' }, 'too-long'],
    [400, { code: 'content_filter' }, 'filtered'],
  ])('tells %d apart by its words: %j (LLM-13)', (status, words, kind) => {
    expect(of(status, words)).toMatchObject({ kind });
  });
});
