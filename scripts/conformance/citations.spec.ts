import { describe, expect, it } from '@jest/globals';
import { citationsInGolden, citationsInSpec, mentionsIn } from './citations.js';

// The families here are invented, so that these lines guard no row of the checklist.
describe(mentionsIn.name, () => {
  it.each([
    ['XX-01', ['XX-01']],
    ['(XX-01, -02, XX-04)', ['XX-01', 'XX-02', 'XX-04']],
    ['XX-01 … -03, YY-FINAL', ['XX-01', 'XX-02', 'XX-03', 'YY-FINAL']],
    ['X01-03 … X01-05', ['X01-03', 'X01-04', 'X01-05']],
    ['MCP-XX-9', ['MCP-XX-9']],
    ['PO-4711, aXX-01, XX-011, BR-O-10', []],
  ])('reads %j', (text, ids) => {
    expect(mentionsIn(text).map(({ id }) => id)).toEqual(ids);
  });
});

describe(citationsInSpec.name, () => {
  const text = `
    // XX-01 concerns no test.
    const ROWS = [{ name: 'a shared row (XX-02)' }];
    describe(Thing.name, () => {
      // XX-03 is the subject of the next line.
      it('does (XX-04, -05)', () => {
        expect(1).toBe(1); // XX-06
      });
      it.each([['this row (XX-07)', 1]])('takes %s', (_row) => {});
      describe(\`\${Thing.name}.part\`, () => {
        it('is there (XX-08)', () => {});
      });
    });`;

  it('names the innermost test, or the row of a table, that has the id', () => {
    const places = citationsInSpec('a.spec.ts', text).map(({ id, place }) => `${id}: ${place}`);
    expect(places).toEqual([
      'XX-01: a.spec.ts',
      'XX-02: a.spec.ts › a shared row',
      'XX-03: a.spec.ts › Thing › does',
      'XX-04: a.spec.ts › Thing › does',
      'XX-05: a.spec.ts › Thing › does',
      'XX-06: a.spec.ts › Thing › does',
      'XX-07: a.spec.ts › Thing › takes %s › this row',
      'XX-08: a.spec.ts › Thing › Thing.part › is there',
    ]);
  });
});

describe(citationsInGolden.name, () => {
  it('names the case', () => {
    const text = JSON.stringify({ cases: [{ name: 'get: as it is (XX-01)' }, { name: 'no id', params: {} }] });
    expect(citationsInGolden('a.json', text)).toEqual([{ id: 'XX-01', place: 'a.json › get: as it is' }]);
  });
});
