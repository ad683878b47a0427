import { describe, expect, it } from '@jest/globals';
import { fixture } from '../../../test/kit/invoice/samples.js';
import { readXml } from './read-xml.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const UBL = 'urn:oasis:names:specification:ubl:schema:xsd';

function ubl(content: string, root = 'Invoice'): Uint8Array {
  return bytes(`<${root} xmlns="${UBL}:${root}-2">${content}</${root}>`);
}

describe(readXml.name, () => {
  it('reads UBL and says where each value stood', async () => {
    const invoice = await readXml(await fixture('factur-x/ubl-21-en16931.xml'));
    expect(invoice).toMatchObject({
      format: 'ubl',
      kind: 'invoice',
      number: { value: 'F124212', source: '/Invoice/ID', confidence: 1 },
      typeCode: { value: '380', source: '/Invoice/InvoiceTypeCode' },
      seller: { country: { value: 'FR' } },
      payment: { iban: { value: 'FR2012421242124212421242124' } },
      totals: { payable: { value: '208.03', source: '/Invoice/LegalMonetaryTotal/PayableAmount' } },
    });
    expect(invoice.lines[1]).toMatchObject({ source: '/Invoice/InvoiceLine[2]', kind: 'detail', confidence: 1 });
  });

  it('takes the tax total in the currency of the document, not the one of the books (BT-111)', async () => {
    const invoice = await readXml(
      ubl(
        '<ID>1</ID><DocumentCurrencyCode>EUR</DocumentCurrencyCode>' +
          '<TaxTotal><TaxAmount currencyID="SEK">990.00</TaxAmount></TaxTotal>' +
          '<TaxTotal><TaxAmount currencyID="EUR">90.00</TaxAmount></TaxTotal>',
      ),
    );
    expect(invoice.totals.tax).toEqual({ value: '90.00', source: '/Invoice/TaxTotal[2]/TaxAmount', confidence: 1 });
  });

  it('knows credit notes by their element and by their type code', async () => {
    expect((await readXml(ubl('<ID>1</ID>', 'CreditNote'))).kind).toBe('credit-note');
    expect((await readXml(ubl('<ID>1</ID><InvoiceTypeCode>381</InvoiceTypeCode>'))).kind).toBe('credit-note');
    expect((await readXml(ubl('<ID>1</ID><InvoiceTypeCode>384</InvoiceTypeCode>'))).kind).toBe('invoice');
  });

  it('leaves out values that are no number or no day', async () => {
    const invoice = await readXml(
      ubl(
        '<ID>1</ID><IssueDate>2026-02-30</IssueDate>' +
          '<LegalMonetaryTotal><PayableAmount>12,50</PayableAmount><PrepaidAmount>+3.5</PrepaidAmount></LegalMonetaryTotal>',
      ),
    );
    expect(invoice.issueDate).toBeUndefined();
    expect(invoice.totals).toEqual({
      prepaid: { value: '3.5', source: '/Invoice/LegalMonetaryTotal/PrepaidAmount', confidence: 1 },
    });
  });

  it('keeps every digit of an amount', async () => {
    const invoice = await readXml(
      ubl('<ID>1</ID><LegalMonetaryTotal><PayableAmount>90071992547409931.07</PayableAmount></LegalMonetaryTotal>'),
    );
    expect(invoice.totals.payable?.value).toBe('90071992547409931.07');
  });

  it('reads CII with its allowances, taxes and lines', async () => {
    const invoice = await readXml(await fixture('factur-x/factur-x-en16931.xml'));
    expect(invoice).toMatchObject({
      format: 'cii',
      profile: { value: 'urn:cen.eu:en16931:2017' },
      number: { value: 'F20260023', source: '/CrossIndustryInvoice/ExchangedDocument/ID' },
      dueDate: { value: '2026-03-02' },
      purchaseOrder: { value: 'PO201925478' },
    });
    expect(invoice.allowances.filter(({ isCharge }) => isCharge)).toHaveLength(4);
    expect(invoice.taxes.map(({ category }) => category)).toEqual(['S', 'E', 'S', 'K']);
    expect(invoice.lines[0]).toMatchObject({
      netAmount: '60.00',
      unitPrice: '60.0000',
      charges: '4.00',
      allowances: '4.00',
    });
  });

  it('distinguishes groups and remarks from lines that count (Factur-X EXTENDED)', async () => {
    const line = (status: string): string =>
      '<IncludedSupplyChainTradeLineItem><AssociatedDocumentLineDocument><LineID>1</LineID>' +
      `<LineStatusReasonCode>${status}</LineStatusReasonCode></AssociatedDocumentLineDocument>` +
      '<SpecifiedTradeProduct><Name>Set</Name></SpecifiedTradeProduct></IncludedSupplyChainTradeLineItem>';
    const document =
      '<CrossIndustryInvoice xmlns="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"><SupplyChainTradeTransaction>' +
      `${line('GROUP')}${line('DETAIL')}${line('INFORMATION')}</SupplyChainTradeTransaction></CrossIndustryInvoice>`;
    expect((await readXml(bytes(document))).lines.map(({ kind }) => kind)).toEqual(['group', 'detail', 'information']);
  });

  it('refuses other documents by name', async () => {
    await expect(readXml(bytes('<Invoice><ID>1</ID></Invoice>'))).rejects.toThrow(
      '<Invoice>, not a UBL or CII invoice',
    );
    await expect(readXml(bytes('<html/>'))).rejects.toThrow('<html>, not');
    await expect(readXml(ubl('<ID>1</ID>', 'Order'))).rejects.toThrow('<Order>, not');
  });
});
