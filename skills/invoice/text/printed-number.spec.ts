import { describe, expect, it } from '@jest/globals';
import { decimalMarkOf, printedAmount, printedQuantity, printedRate, trailingAmount } from './printed-number.js';

describe(printedAmount.name, () => {
  it.each([
    ['1,234.56', '.', '1234.56'],
    ['1.234,56', ',', '1234.56'],
    ['1 234,56', ',', '1234.56'],
    ['1\u00a0234,56 €', ',', '1234.56'],
    ['1\u202f234\u202f567,89', ',', '1234567.89'],
    ["1'234.56", '.', '1234.56'],
    ['1’234.56', '.', '1234.56'],
    ['$1,234.56', '.', '1234.56'],
    ['EUR 1.234,56', ',', '1234.56'],
    ['1234,5', ',', '1234.5'],
    ['12', '.', '12'],
    ['(12.00)', '.', '-12.00'],
    ['-12.00', '.', '-12.00'],
    ['12.00-', '.', '-12.00'],
    ['€-12.00', '.', '-12.00'],
    ['−5,00 €', ',', '-5.00'],
  ] as const)('reads %s with decimal mark %s as %s', (text, mark, value) => {
    expect(printedAmount(text, mark)).toBe(value);
  });

  it('reads three digits after a mark by the marks of the document', () => {
    expect(printedAmount('1.234', '.')).toBe('1.234');
    expect(printedAmount('1.234', ',')).toBe('1234');
    expect(printedAmount('1,234', '.')).toBe('1234');
    expect(printedAmount('1.234.567', '.')).toBe('1234567');
  });

  it.each(['', 'abc', '12.03.2026', '10115 Berlin', 'INV-1', '1,2,3', 'DE123456789', '12 34'])(
    'takes %j for no amount',
    (text) => {
      expect(printedAmount(text, '.')).toBeUndefined();
    },
  );
});

describe(trailingAmount.name, () => {
  it('parts an amount from the words before it', () => {
    expect(trailingAmount('Total due: 1,234.56 EUR', '.')).toEqual({ label: 'Total due', amount: '1234.56' });
    expect(trailingAmount('Summe 1 234,56 €', ',')).toEqual({ label: 'Summe', amount: '1234.56' });
    expect(trailingAmount('Thank you', '.')).toBeUndefined();
  });
});

describe(decimalMarkOf.name, () => {
  it("goes by the document's own amounts", () => {
    expect(decimalMarkOf(['1.234,56', '12,00'], '.')).toBe(',');
    expect(decimalMarkOf(['1,234.56', '5'], ',')).toBe('.');
    expect(decimalMarkOf(['5', 'x'], ',')).toBe(',');
  });

  it('is not led astray by dates', () => {
    expect(decimalMarkOf(['05.03.26', '05.03.2026', '12,50'], '.')).toBe(',');
  });
});

describe(printedQuantity.name, () => {
  it('reads a count with its unit', () => {
    expect(printedQuantity('12,5 Std', ',')).toEqual({ quantity: '12.5', unit: 'Std' });
    expect(printedQuantity('3', '.')).toEqual({ quantity: '3' });
    expect(printedQuantity('x', '.')).toBeUndefined();
  });
});

describe(printedRate.name, () => {
  it('finds the percentage of a label', () => {
    expect(printedRate('TVA (5,5 %)')).toBe('5.5');
    expect(printedRate('VAT @ 20% on £2,480.00')).toBe('20');
    expect(printedRate('VAT')).toBeUndefined();
  });
});
