import { describe, expect, it } from '@jest/globals';
import type { Listing } from '../../agents/card/ard/listing.js';
import { AGENTS, QUESTIONS } from '../../../test/kit/registry/registry-corpus.js';
import { SearchIndex } from './search-index.js';
import { isNear, wordsOf } from './words.js';

const EMPTY: Listing = {
  ...{ displayName: '', description: '', version: '1', tags: [], capabilities: [], representativeQueries: [] },
  ...{ skillTexts: [], bindings: [], protocolVersions: [], inputModes: [], outputModes: [], extensions: [] },
};

function indexOf(agents: Readonly<Record<string, Partial<Listing>>>): SearchIndex {
  const index = new SearchIndex();
  for (const [identifier, listing] of Object.entries(agents)) index.put(identifier, { ...EMPTY, ...listing });
  return index;
}

describe(SearchIndex.name, () => {
  it('answers a written list of queries: the exact skill first, others among the first five', () => {
    const index = indexOf(AGENTS);
    const visible = new Set(Object.keys(AGENTS));
    const skills = Object.entries(AGENTS).flatMap(([agent, { capabilities }]) =>
      capabilities.map((id) => [id, agent] as const),
    );
    for (const [skill, agent] of skills) {
      expect(index.search(skill, visible)[0]).toEqual({ identifier: agent, score: 100 });
    }
    const missed = QUESTIONS.filter(([question, wanted]) => {
      const first = index.search(question, visible).slice(0, 5);
      return !first.some(({ identifier }) => identifier === wanted);
    });
    expect(QUESTIONS.length).toBeGreaterThanOrEqual(60);
    expect({ missed, recall: 1 - missed.length / QUESTIONS.length >= 0.9 }).toMatchObject({ recall: true });
  });

  it('ranks for a caller as if hidden agents did not exist', () => {
    const agents: Readonly<Record<string, Partial<Listing>>> = AGENTS;
    const all = Object.keys(agents);
    for (let hidden = 0; hidden < all.length; hidden += 1) {
      const visible = all.filter((_agent, at) => at % all.length !== hidden && (at * 7 + hidden) % 3 !== 0);
      const alone = indexOf(Object.fromEntries(visible.map((agent) => [agent, agents[agent] ?? {}])));
      const whole = indexOf(AGENTS);
      for (const [question] of QUESTIONS.slice(0, 10)) {
        expect(whole.search(question, new Set(visible))).toEqual(alone.search(question, new Set(visible)));
      }
    }
  });

  it('removes the words of an agent that has changed or is gone', () => {
    const index = indexOf({ a: { displayName: 'Weather' }, b: { displayName: 'Traffic' } });
    const visible = new Set(['a', 'b']);
    index.put('a', { ...EMPTY, displayName: 'Traffic' });
    expect(index.search('weather', visible)).toEqual([]);
    index.remove('b');
    expect(index.search('traffic', visible)).toMatchObject([{ identifier: 'a' }]);
  });

  it('matches a prefix or one wrong letter when no agent has the exact word', () => {
    const index = indexOf({ a: { displayName: 'Translation' }, b: { displayName: 'Invoice' } });
    const visible = new Set(['a', 'b']);
    expect(index.search('transl', visible)).toMatchObject([{ identifier: 'a' }]);
    expect(index.search('invioce', visible)).toMatchObject([{ identifier: 'b' }]);
    expect(index.search('the agent of', visible)).toEqual([]);
  });
});

describe(wordsOf, () => {
  it.each([
    ['Extracting invoices', 'extract_invoice'],
    ['Überweisungen', 'uberweisungen'],
    ['bookFlight', 'book flights'],
    ['currencies', 'currency'],
  ])('%s has the words of %s', (one, other) => {
    expect(wordsOf(one)).toEqual(wordsOf(other));
  });
});

describe(isNear, () => {
  it.each([
    ['invoice', 'invoise', true],
    ['invoice', 'invoce', true],
    ['invoice', 'iinvoice', true],
    ['invoice', 'inovice', true],
    ['invoice', 'voice', false],
    ['abc', 'acbd', false],
  ])('%s and %s: %s', (one, other, isIt) => {
    expect(isNear(one, other)).toBe(isIt);
  });
});
