import { describe, expect, it } from '@jest/globals';
import { anInvoice } from '../../../test/kit/invoice/an-invoice.js';
import { readJson } from './read-json.js';

describe(readJson.name, () => {
  it('knows the usual names, however they are spelled', () => {
    const invoice = readJson({
      invoice_number: 'A-1',
      'Invoice Date': '2026-03-01',
      dueDate: '31.03.2026',
      currencyCode: 'EUR',
      vendor: { companyName: 'Muster GmbH', VATNumber: 'DE123456789', address: { zip: '10115', city: 'Berlin' } },
      billTo: 'Kunde AG',
      lineItems: [{ description: 'Stuhl', qty: 4, price: 25, total: '100.00', vatRate: '19 %' }],
      subtotal: 100,
      totalTax: 19,
      total: '119.00',
    });
    expect(invoice).toMatchObject({
      format: 'json',
      number: { value: 'A-1', source: '/invoice_number', confidence: 1 },
      issueDate: { value: '2026-03-01', source: '/Invoice Date' },
      dueDate: { value: '2026-03-31', confidence: 0.6 },
      seller: { name: { value: 'Muster GmbH' }, vatId: { source: '/vendor/VATNumber' }, city: { value: 'Berlin' } },
      buyer: { name: { value: 'Kunde AG', source: '/billTo' } },
      totals: {
        taxExclusive: { value: '100' },
        tax: { value: '19' },
        taxInclusive: { value: '119.00' },
        payable: { value: '119.00' },
      },
    });
    expect(invoice.lines).toEqual([
      {
        kind: 'detail',
        name: 'Stuhl',
        quantity: '4',
        unitPrice: '25',
        netAmount: '100.00',
        taxRate: '19',
        source: '/lineItems/0',
        confidence: 1,
      },
    ]);
  });

  it('gives its own model back as it was, with sources and confidences', () => {
    const invoice = anInvoice({ format: 'json', number: { value: 'X-1', source: 'page 1, "No."', confidence: 0.8 } });
    expect(readJson(invoice)).toEqual(invoice);
    expect(readJson({ invoice })).toEqual(invoice);
    expect(readJson([invoice])).toEqual(invoice);
  });

  it('reads the JSON alternative of OASIS UBL', () => {
    const invoice = readJson({
      _D: 'urn:oasis:names:specification:ubl:schema:xsd:Invoice-2',
      Invoice: [
        {
          ID: [{ _: 'TOSL108' }],
          IssueDate: [{ _: '2009-12-15' }],
          DocumentCurrencyCode: [{ _: 'EUR' }],
          AccountingSupplierParty: [{ Party: [{ PartyName: [{ Name: [{ _: 'Salescompany ltd.' }] }] }] }],
          LegalMonetaryTotal: [{ PayableAmount: [{ _: 729, currencyID: 'EUR' }] }],
          InvoiceLine: [{ ID: [{ _: '1' }] }, { ID: [{ _: '2' }], InvoicedQuantity: [{ _: 2, unitCode: 'C62' }] }],
        },
      ],
    });
    expect(invoice).toMatchObject({
      format: 'json',
      number: { value: 'TOSL108', source: '/Invoice/ID' },
      seller: { name: { value: 'Salescompany ltd.' } },
      totals: { payable: { value: '729' } },
    });
    expect(invoice.lines[1]).toMatchObject({ id: '2', quantity: '2', unit: 'C62', source: '/Invoice/InvoiceLine/1' });
  });

  it('is less sure of printed amounts in texts', () => {
    const { totals } = readJson({ number: '1', seller: 'X', total: '€1,234.50' });
    expect(totals.payable).toEqual({ value: '1234.50', source: '/total', confidence: 0.7 });
  });

  it.each([[{}], [null], ['text'], [42], [[]], [{ hello: 'world' }], [{ id: '1' }], [{ number: '1', total: 'much' }]])(
    'refuses %j: no invoice',
    (value) => {
      expect(() => readJson(value)).toThrow('does not look like an invoice');
    },
  );

  it('takes no member of the prototype for a value', () => {
    expect(() => readJson(Object.create({ number: '1', total: '5' }))).toThrow('does not look like an invoice');
  });
});
