import type { Found, Invoice } from '../../../skills/invoice/invoice.js';

/** A field as a reader of structured data gives it. */
export function field(value: string, confidence = 1): Found {
  return { value, source: '/test', confidence };
}

const origin = { source: '/test', confidence: 1 };

/** An invoice that keeps all rules of EN 16931, with what the test changes. */
export function anInvoice(changes: Partial<Invoice> = {}): Invoice {
  return {
    format: 'ubl',
    kind: 'invoice',
    profile: field('urn:cen.eu:en16931:2017'),
    number: field('2026-1'),
    typeCode: field('380'),
    issueDate: field('2026-03-01'),
    dueDate: field('2026-03-31'),
    currency: field('EUR'),
    seller: {
      name: field('Muster GmbH'),
      vatId: field('DE123456789'),
      street: field('Weg 1'),
      city: field('Berlin'),
      postCode: field('10115'),
      country: field('DE'),
    },
    buyer: { name: field('Kunde AG'), city: field('Bonn'), country: field('DE') },
    payment: { iban: field('DE89370400440532013000') },
    lines: [
      {
        kind: 'detail',
        id: '1',
        name: 'Stuhl',
        quantity: '4',
        unit: 'C62',
        unitPrice: '25.00',
        netAmount: '100.00',
        taxCategory: 'S',
        taxRate: '19',
        ...origin,
      },
      {
        kind: 'detail',
        id: '2',
        name: 'Buch',
        quantity: '10',
        unit: 'C62',
        unitPrice: '5.00',
        netAmount: '50.00',
        taxCategory: 'S',
        taxRate: '7',
        ...origin,
      },
    ],
    allowances: [
      { isCharge: false, amount: '10.00', reason: 'Rabatt', taxCategory: 'S', taxRate: '19', ...origin },
      { isCharge: true, amount: '5.00', reason: 'Fracht', taxCategory: 'S', taxRate: '19', ...origin },
    ],
    taxes: [
      { category: 'S', rate: '19', taxableAmount: '95.00', taxAmount: '18.05', ...origin },
      { category: 'S', rate: '7', taxableAmount: '50.00', taxAmount: '3.50', ...origin },
    ],
    totals: {
      lineTotal: field('150.00'),
      allowanceTotal: field('10.00'),
      chargeTotal: field('5.00'),
      taxExclusive: field('145.00'),
      tax: field('21.55'),
      taxInclusive: field('166.55'),
      payable: field('166.55'),
    },
    remarks: [],
    ...changes,
  };
}
