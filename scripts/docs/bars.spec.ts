import { describe, expect, it } from '@jest/globals';
import { barsSvg } from './bars.js';

describe(barsSvg, () => {
  const svg = barsSvg({
    title: 'Requests & more',
    note: 'measured',
    groups: [
      {
        title: 'send',
        bars: [
          { name: 'Parley', value: 200, text: '200' },
          { name: 'SDK <memory>', value: 100, text: '100' },
        ],
      },
    ],
  });

  it('draws bars as long as their values are large, from zero', () => {
    const widths = [...svg.matchAll(/width="([\d.]+)" height="14"/g)].map(([, width]) => Number(width));
    expect(widths).toHaveLength(2);
    expect(widths[0]).toBeCloseTo(2 * (widths[1] ?? 0));
  });

  it('shows a long note whole, in lines', () => {
    const long = barsSvg({ title: 'x', note: 'word '.repeat(100).trim(), groups: [] });
    expect(long.match(/class="soft"/g)).toHaveLength(4);
    expect(long.match(/word/g)).toHaveLength(100);
  });

  it('has texts as texts, and a name for readers', () => {
    expect(svg).toContain('SDK &lt;memory>');
    expect(svg).toContain('aria-label="Requests &amp; more"');
  });
});
