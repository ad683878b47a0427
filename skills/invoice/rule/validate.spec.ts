import { describe, expect, it } from '@jest/globals';
import { anInvoice, field } from '../../../test/kit/invoice/an-invoice.js';
import type { Invoice } from '../invoice.js';
import { RULES, validate } from './validate.js';

const origin = { source: '/test', confidence: 1 };

/** `BR-02 error number` of each finding. */
function found(invoice: Invoice): readonly string[] {
  return validate(invoice).map(({ rule, severity, path }) => `${rule} ${severity} ${path}`);
}

function without(...names: readonly (keyof Invoice)[]): Invoice {
  const kept = Object.entries(anInvoice()).filter(([name]) => !names.includes(name as keyof Invoice));
  return Object.fromEntries(kept) as unknown as Invoice;
}

function withTotals(changes: Partial<Invoice['totals']>): Invoice {
  return anInvoice({ totals: { ...anInvoice().totals, ...changes } });
}

function withLine(changes: Partial<Invoice['lines'][number]>): Invoice {
  const [first, ...rest] = anInvoice().lines;
  return anInvoice({ lines: [{ ...first!, ...changes }, ...rest] });
}

function withTax(changes: Partial<Invoice['taxes'][number]>): Invoice {
  const [first, ...rest] = anInvoice().taxes;
  return anInvoice({ taxes: [{ ...first!, ...changes }, ...rest] });
}

/** An invoice of 100.00 without VAT in one category. */
function exempt(category: string, changes: Partial<Invoice> = {}): Invoice {
  return anInvoice({
    lines: [{ ...anInvoice().lines[0]!, netAmount: '100.00', taxCategory: category, taxRate: '0' }],
    allowances: [],
    taxes: [{ category, rate: '0', taxableAmount: '100.00', taxAmount: '0.00', exemptionReason: 'exempt', ...origin }],
    totals: {
      lineTotal: field('100.00'),
      taxExclusive: field('100.00'),
      tax: field('0.00'),
      taxInclusive: field('100.00'),
      payable: field('100.00'),
    },
    ...changes,
  });
}

describe(validate.name, () => {
  it('finds nothing in an invoice that is right', () => {
    expect(validate(anInvoice())).toEqual([]);
  });

  it('has each rule once', () => {
    expect(new Set(RULES.map(({ id }) => id)).size).toBe(RULES.length);
  });

  it.each([
    ['BR-01', 'profile'],
    ['BR-02', 'number'],
    ['BR-03', 'issueDate'],
    ['BR-04', 'typeCode'],
    ['BR-05', 'currency'],
  ] as const)('%s: the invoice must have a %s', (rule, name) => {
    expect(found(without(name))).toEqual([`${rule} error ${name}`]);
  });

  it('BR-06 to BR-11, BR-CO-26: the parties must have names, addresses and an identifier', () => {
    expect(found(anInvoice({ seller: {}, buyer: {} }))).toEqual([
      'BR-06 error seller.name',
      'BR-07 error buyer.name',
      'BR-08 error seller',
      'BR-09 error seller.country',
      'BR-10 error buyer',
      'BR-11 error buyer.country',
      'BR-CO-26 error seller',
      'BR-S-02 error seller.vatId',
    ]);
  });

  it('BR-12 to BR-15: the totals must be there', () => {
    expect(found(anInvoice({ totals: {} }))).toEqual([
      'BR-12 error totals.lineTotal',
      'BR-13 error totals.taxExclusive',
      'BR-14 error totals.taxInclusive',
      'BR-15 error totals.payable',
    ]);
  });

  it('BR-16: there must be a line', () => {
    expect(found(anInvoice({ lines: [] }))).toContain('BR-16 error lines');
  });

  it('BR-21 to BR-26, BR-CO-04: a line must have its fields, a group need not', () => {
    const bare = { kind: 'detail', netAmount: '0', ...origin } as const;
    const rules = found(anInvoice({ lines: [...anInvoice().lines, bare, { ...bare, kind: 'group' }] }));
    expect(rules).toEqual(
      ['BR-21', 'BR-22', 'BR-23', 'BR-25', 'BR-26', 'BR-CO-04'].map((rule) =>
        expect.stringMatching(`${rule} error lines\\[2\\]`),
      ),
    );
  });

  it('BR-31 to BR-38: allowances and charges must have amount, category and reason', () => {
    const bare = [false, true].map((isCharge) => ({ isCharge, ...origin }));
    expect(found(anInvoice({ allowances: [...anInvoice().allowances, ...bare] }))).toEqual([
      'BR-31 error allowances[2].amount',
      'BR-32 error allowances[2].taxCategory',
      'BR-33 error allowances[2].reason',
      'BR-36 error allowances[3].amount',
      'BR-37 error allowances[3].taxCategory',
      'BR-38 error allowances[3].reason',
    ]);
  });

  it('BR-45 to BR-48: a VAT line must have its fields', () => {
    const rules = found(anInvoice({ taxes: [...anInvoice().taxes, origin] }));
    expect(rules).toEqual([
      'BR-45 error taxes[2].taxableAmount',
      'BR-46 error taxes[2].taxAmount',
      'BR-47 error taxes[2].category',
      'BR-48 error taxes[2].rate',
    ]);
  });

  it('BR-CO-18, BR-S-01: taxed amounts must be in the breakdown', () => {
    expect(found(anInvoice({ taxes: [] }))).toEqual(['BR-CO-18 error taxes', 'BR-S-01 error taxes']);
  });

  it.each([
    ['BR-CO-10', { lineTotal: field('151.00') }, 'totals.lineTotal', '150.00'],
    ['BR-CO-11', { allowanceTotal: field('11.00') }, 'totals.allowanceTotal', '10.00'],
    ['BR-CO-12', { chargeTotal: field('6.00') }, 'totals.chargeTotal', '5.00'],
    ['BR-CO-13', { taxExclusive: field('146.00') }, 'totals.taxExclusive', '145.00'],
    ['BR-CO-14', { tax: field('22.55') }, 'totals.tax', '21.55'],
    ['BR-CO-15', { taxInclusive: field('167.55') }, 'totals.taxInclusive', '166.55'],
    ['BR-CO-16', { payable: field('170.00') }, 'totals.payable', '166.55'],
    ['BR-CO-16', { prepaid: field('66.55') }, 'totals.payable', '100.00'],
  ] as const)('%s: a sum must be the sum of its parts (%j)', (rule, totals, path, expected) => {
    const findings = validate(withTotals(totals));
    expect(findings).toContainEqual(expect.objectContaining({ rule, severity: 'error', path, expected }));
  });

  it('takes a cent of rounding as a warning', () => {
    expect(found(withTotals({ tax: field('21.56'), taxInclusive: field('166.56'), payable: field('166.56') }))).toEqual(
      ['BR-CO-14 warning totals.tax'],
    );
  });

  it('takes prepaid and rounding into account (BR-CO-16)', () => {
    expect(found(withTotals({ prepaid: field('66.60'), rounding: field('0.05'), payable: field('100.00') }))).toEqual(
      [],
    );
  });

  it('adds up without binary fractions: ten times 0.10 is 1.00', () => {
    const line = { ...anInvoice().lines[0]!, quantity: '1', unitPrice: '0.10', netAmount: '0.10' };
    const rules = found(
      anInvoice({
        lines: Array.from({ length: 10 }, () => line),
        totals: { ...anInvoice().totals, lineTotal: field('1.00') },
      }),
    );
    expect(rules).not.toContain('BR-CO-10 error totals.lineTotal');
  });

  it('BR-CO-17: the VAT must be its base times its rate', () => {
    expect(validate(withTax({ taxAmount: '28.05' }))).toContainEqual({
      rule: 'BR-CO-17',
      severity: 'error',
      path: 'taxes[0].taxAmount',
      message: 'The VAT is not its base times its rate (BT-116 × BT-119).',
      expected: '18.05',
      actual: '28.05',
    });
    expect(found(withTax({ taxAmount: '18.06' }))).not.toContain('BR-CO-17 error taxes[0].taxAmount');
    expect(found(withTax({ taxAmount: '18.50' }))).toContain('BR-CO-17 warning taxes[0].taxAmount');
  });

  it('BR-CO-25: an amount due must have a date or terms', () => {
    expect(found(without('dueDate'))).toEqual(['BR-CO-25 error dueDate']);
    expect(found({ ...without('dueDate'), payment: { terms: field('30 days') } })).toEqual([]);
  });

  it('BR-CO-09: a VAT identifier must begin with its country', () => {
    const seller = { ...anInvoice().seller, vatId: field('123456789') };
    expect(found(anInvoice({ seller }))).toEqual(['BR-CO-09 error seller.vatId']);
    expect(found(anInvoice({ seller: { ...seller, vatId: field('EL123456789') } }))).toEqual([]);
  });

  it('PEPPOL-EN16931-R120: a line must be quantity times price, per the price quantity', () => {
    expect(found(withLine({ unitPrice: '26.00' }))).toEqual(['PEPPOL-EN16931-R120 warning lines[0].netAmount']);
    expect(found(withLine({ unitPrice: '2500.00', priceQuantity: '100' }))).toEqual([]);
    expect(found(withLine({ unitPrice: '27.00', allowances: '9.00', charges: '1.00' }))).toEqual([]);
  });

  it('BR-27: a net price must not be negative', () => {
    expect(found(withLine({ quantity: '-4', unitPrice: '-25.00' }))).toEqual(['BR-27 error lines[0].unitPrice']);
  });

  it('BR-S-05: the standard rate must be above zero', () => {
    expect(found(withLine({ taxRate: '0' }))).toContain('BR-S-05 error lines[0].taxRate');
  });

  it('BR-S-08: the base of a rate must be the lines, charges and allowances of that rate', () => {
    expect(validate(withTax({ taxableAmount: '100.00', taxAmount: '19.00' }))).toContainEqual(
      expect.objectContaining({ rule: 'BR-S-08', path: 'taxes[0].taxableAmount', expected: '95.00', actual: '100.00' }),
    );
  });

  it.each([
    ['Z', 'BR-Z'],
    ['E', 'BR-E'],
    ['AE', 'BR-AE'],
    ['K', 'BR-IC'],
    ['G', 'BR-G'],
    ['O', 'BR-O'],
  ])('category %s: rate and VAT must be zero (%s-05, -08, -09)', (category, family) => {
    const reason =
      category === 'Z' ? { taxes: exempt(category).taxes.map(({ exemptionReason: _, ...rest }) => rest) } : {};
    expect(found(exempt(category, reason))).toEqual([]);
    const [line] = exempt(category).lines;
    const [tax] = exempt(category).taxes;
    expect(found(exempt(category, { ...reason, lines: [{ ...line!, taxRate: '19' }] }))).toContain(
      `${family}-05 error lines[0].taxRate`,
    );
    expect(found(exempt(category, { taxes: [{ ...tax!, taxAmount: '19.00' }] }))).toContain(
      `${family}-09 error taxes[0].taxAmount`,
    );
    expect(found(exempt(category, { taxes: [{ ...tax!, taxableAmount: '90.00' }] }))).toContain(
      `${family}-08 error taxes[0].taxableAmount`,
    );
  });

  it.each([
    ['E', 'BR-E-10'],
    ['AE', 'BR-AE-10'],
    ['K', 'BR-IC-10'],
    ['G', 'BR-G-10'],
    ['O', 'BR-O-10'],
  ])('category %s must say why no VAT is charged (%s)', (category, rule) => {
    const taxes = exempt(category).taxes.map(({ exemptionReason: _, ...rest }) => rest);
    expect(found(exempt(category, { taxes }))).toEqual([`${rule} error taxes[0].exemptionReason`]);
  });

  it('BR-S-10: a standard rate must not have an exemption reason', () => {
    expect(found(withTax({ exemptionReason: 'x' }))).toEqual(['BR-S-10 error taxes[0].exemptionReason']);
  });

  it('BR-CL-*: codes must be of their lists', () => {
    const invoice = anInvoice({
      typeCode: field('SalesInvoice'),
      currency: field('XYZ'),
      seller: { ...anInvoice().seller, country: field('Germany') },
      taxes: [...anInvoice().taxes, { category: 'AA', rate: '1', taxableAmount: '0', taxAmount: '0', ...origin }],
    });
    expect(found(invoice)).toEqual([
      'BR-CL-01 error typeCode',
      'BR-CL-04 error currency',
      'BR-CL-14 error seller.country',
      'BR-CL-17 error taxes[2].category',
    ]);
  });

  it('BR-DEC-*: amounts must have at most two decimals', () => {
    expect(found(withTotals({ payable: field('166.550') }))).toEqual([]);
    expect(found(withTotals({ payable: field('166.551') }))).toEqual(['BR-DEC-18 error totals.payable']);
    expect(found(withLine({ netAmount: '100.001' }))).toContain('BR-DEC-23 error lines[0].netAmount');
    expect(found(withTax({ taxAmount: '18.051' }))).toContain('BR-DEC-20 error taxes[0].taxAmount');
  });

  it('PARLEY-DATES, PARLEY-IBAN: warns of a due date before the issue and of an account with a wrong digit', () => {
    const invoice = anInvoice({
      dueDate: field('2026-02-01'),
      payment: { iban: field('DE89 3704 0044 0532 0130 01') },
    });
    expect(found(invoice)).toEqual(['PARLEY-DATES warning dueDate', 'PARLEY-IBAN warning payment.iban']);
  });

  it('asks forms of electronic invoices only: for a printed one it is a remark', () => {
    const printed = { ...without('profile', 'typeCode'), format: 'pdf-text' as const };
    expect(found(printed)).toEqual(['BR-01 info profile', 'BR-04 info typeCode']);
    expect(found({ ...printed, totals: { ...printed.totals, payable: field('9.00') } })[0]).toBe(
      'BR-CO-16 error totals.payable',
    );
  });

  it('does not ask MINIMUM and BASIC WL for lines', () => {
    const profile = field('urn:factur-x.eu:1p0:basicwl');
    expect(found(anInvoice({ profile, lines: [] }))).toEqual(['BR-16 info lines']);
  });

  it('reports at most 500 findings, errors first', () => {
    const lines = Array.from({ length: 400 }, () => ({ kind: 'detail' as const, ...origin }));
    const findings = validate(anInvoice({ lines }));
    expect(findings).toHaveLength(500);
    expect(findings[0]?.severity).toBe('error');
  });
});
