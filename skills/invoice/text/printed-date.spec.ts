import { describe, expect, it } from '@jest/globals';
import { dateOrderOf, isAmbiguousDate, printedDate } from './printed-date.js';

describe(printedDate.name, () => {
  it.each([
    ['2026-03-05', '2026-03-05'],
    ['05.03.2026', '2026-03-05'],
    ['5. März 2026', '2026-03-05'],
    ['5. Maerz 2026', '2026-03-05'],
    ['3 mars 2026', '2026-03-03'],
    ['1er août 2026', '2026-08-01'],
    ['le 12 février 2026', '2026-02-12'],
    ['March 5, 2026', '2026-03-05'],
    ['5th of March 2026', '2026-03-05'],
    ['14-Feb-2026', '2026-02-14'],
    ['31. Dezember 2026', '2026-12-31'],
    ['05.03.26', '2026-03-05'],
    ['Leipzig, 02.04.2026', '2026-04-02'],
  ])('reads %s', (text, iso) => {
    expect(printedDate(text, 'day-first')).toBe(iso);
  });

  it('reads dates with slashes by the order of the document, and others always day first', () => {
    expect(printedDate('03/04/2026', 'day-first')).toBe('2026-04-03');
    expect(printedDate('03/04/2026', 'month-first')).toBe('2026-03-04');
    expect(printedDate('03.04.2026', 'month-first')).toBe('2026-04-03');
  });

  it.each(['', 'soon', '31.02.2026', '2026', '1.234,56', '12 Foo 2026'])('takes %j for no date', (text) => {
    expect(printedDate(text, 'day-first')).toBeUndefined();
  });
});

describe(dateOrderOf.name, () => {
  it('knows the order by a part above twelve', () => {
    expect(dateOrderOf(['03/04/2026', '28/02/2026'], 'month-first')).toBe('day-first');
    expect(dateOrderOf(['03/04/2026', '02/28/2026'], 'day-first')).toBe('month-first');
    expect(dateOrderOf(['03/04/2026'], 'day-first')).toBe('day-first');
  });
});

describe(isAmbiguousDate.name, () => {
  it('is true only when day and month could be swapped', () => {
    expect(isAmbiguousDate('03/04/2026')).toBe(true);
    expect(isAmbiguousDate('04/04/2026')).toBe(false);
    expect(isAmbiguousDate('28/02/2026')).toBe(false);
    expect(isAmbiguousDate('03.04.2026')).toBe(false);
    expect(isAmbiguousDate('2026-03-04')).toBe(false);
  });
});
