import { describe, expect, it } from '@jest/globals';
import { ListedTexts } from './listed-texts.js';

describe('ListedTexts', () => {
  const made = (): { texts: ListedTexts; clock: { ms: number } } => {
    const clock = { ms: 0 };
    return { texts: new ListedTexts(() => clock.ms), clock };
  };

  it('keeps a text for a minute at least and two at most', () => {
    const { texts, clock } = made();
    clock.ms = 59_000;
    texts.keep('a', '{}');
    clock.ms = 119_000;
    expect(texts.get('a')).toBe('{}');
    clock.ms = 179_000;
    expect(texts.get('a')).toBeUndefined();
  });

  it('gives none that is older, however long nobody has asked for any', () => {
    const { texts, clock } = made();
    texts.keep('a', '{}');
    clock.ms = 600_000;
    expect(texts.get('a')).toBeUndefined();
  });

  it('has 4,096 texts at most, and forgets the older ones', () => {
    const { texts } = made();
    for (let n = 0; n < 10_000; n += 1) texts.keep(`entry ${String(n)}`, String(n));
    const kept = Array.from({ length: 10_000 }, (_unused, n) => texts.get(`entry ${String(n)}`)).filter(Boolean);
    expect(kept.length).toBeLessThanOrEqual(4_096);
    expect(kept.length).toBeGreaterThanOrEqual(1_808);
    expect(kept.at(-1)).toBe('9999');
  });

  it('keeps no long text', () => {
    const { texts } = made();
    texts.keep('long', 'x'.repeat(2_049));
    texts.keep('short', 'x'.repeat(2_048));
    expect([texts.get('long'), texts.get('short')?.length]).toEqual([undefined, 2_048]);
  });
});
