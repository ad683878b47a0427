import type { Invoice as EInvoice } from '@e-invoice-eu/core';
import { InvoiceService } from '@e-invoice-eu/core';
import type { Expected } from './plain-invoices.js';
import { writePdf } from './pdf-writer.js';

/** Formats that the library writes: XML, and PDFs with the XML inside. */
export const GENERATED_FORMATS = [
  'UBL',
  'CII',
  'XRECHNUNG-UBL',
  'XRECHNUNG-CII',
  'Factur-X-Minimum',
  'Factur-X-BasicWL',
  'Factur-X-Basic',
  'Factur-X-EN16931',
  'Factur-X-Extended',
  'Factur-X-XRechnung',
] as const;

/** An invoice of two rates with an allowance, in e-invoice-eu's own format, which is UBL in JSON. */
export const SOURCE: EInvoice = {
  'ubl:Invoice': {
    'cbc:CustomizationID': 'urn:cen.eu:en16931:2017',
    'cbc:ProfileID': 'urn:fdc:peppol.eu:2017:poacc:billing:01:1.0',
    'cbc:ID': 'R-2026-0817',
    'cbc:IssueDate': '2026-05-04',
    'cbc:DueDate': '2026-06-03',
    'cbc:InvoiceTypeCode': '380',
    'cbc:DocumentCurrencyCode': 'EUR',
    'cbc:BuyerReference': '04011000-12345-03',
    'cac:AccountingSupplierParty': {
      'cac:Party': {
        'cbc:EndpointID': 'billing@gartenbau.example',
        'cbc:EndpointID@schemeID': 'EM',
        'cac:PostalAddress': {
          'cbc:StreetName': 'Rosenweg 4',
          'cbc:CityName': 'Kassel',
          'cbc:PostalZone': '34117',
          'cac:Country': { 'cbc:IdentificationCode': 'DE' },
        },
        'cac:PartyTaxScheme': [{ 'cbc:CompanyID': 'DE136695976', 'cac:TaxScheme': { 'cbc:ID': 'VAT' } }],
        'cac:PartyLegalEntity': { 'cbc:RegistrationName': 'Gartenbau Kessler GmbH' },
        'cac:Contact': {
          'cbc:Name': 'Ida Kessler',
          'cbc:Telephone': '+49 561 123456',
          'cbc:ElectronicMail': 'billing@gartenbau.example',
        },
      },
    },
    'cac:AccountingCustomerParty': {
      'cac:Party': {
        'cbc:EndpointID': 'rechnung@stadt.example',
        'cbc:EndpointID@schemeID': 'EM',
        'cac:PostalAddress': {
          'cbc:StreetName': 'Rathausplatz 1',
          'cbc:CityName': 'Göttingen',
          'cbc:PostalZone': '37073',
          'cac:Country': { 'cbc:IdentificationCode': 'DE' },
        },
        'cac:PartyLegalEntity': { 'cbc:RegistrationName': 'Stadt Göttingen' },
      },
    },
    'cac:Delivery': { 'cbc:ActualDeliveryDate': '2026-04-30' },
    'cac:PaymentMeans': [
      {
        'cbc:PaymentMeansCode': '58',
        'cbc:PaymentID': 'R-2026-0817',
        'cac:PayeeFinancialAccount': { 'cbc:ID': 'DE89370400440532013000' },
      },
    ],
    'cac:AllowanceCharge': [
      {
        'cbc:ChargeIndicator': 'false',
        'cbc:AllowanceChargeReason': 'Treuerabatt',
        'cbc:Amount': '50.00',
        'cbc:Amount@currencyID': 'EUR',
        'cac:TaxCategory': { 'cbc:ID': 'S', 'cbc:Percent': '19', 'cac:TaxScheme': { 'cbc:ID': 'VAT' } },
      },
    ],
    'cac:TaxTotal': [
      {
        'cbc:TaxAmount': '237.75',
        'cbc:TaxAmount@currencyID': 'EUR',
        'cac:TaxSubtotal': [subtotal('1150.00', '218.50', '19'), subtotal('275.00', '19.25', '7')],
      },
    ],
    'cac:LegalMonetaryTotal': {
      'cbc:LineExtensionAmount': '1475.00',
      'cbc:LineExtensionAmount@currencyID': 'EUR',
      'cbc:TaxExclusiveAmount': '1425.00',
      'cbc:TaxExclusiveAmount@currencyID': 'EUR',
      'cbc:TaxInclusiveAmount': '1662.75',
      'cbc:TaxInclusiveAmount@currencyID': 'EUR',
      'cbc:AllowanceTotalAmount': '50.00',
      'cbc:AllowanceTotalAmount@currencyID': 'EUR',
      'cbc:PayableAmount': '1662.75',
      'cbc:PayableAmount@currencyID': 'EUR',
    },
    'cac:InvoiceLine': [
      line({
        id: '1',
        name: 'Heckenschnitt, Stunde',
        quantity: '24',
        unit: 'HUR',
        price: '50.00',
        net: '1200.00',
        rate: '19',
      }),
      line({
        id: '2',
        name: 'Rosen, wurzelnackt',
        quantity: '55',
        unit: 'C62',
        price: '5.00',
        net: '275.00',
        rate: '7',
      }),
    ],
  },
};

/** What a reader must find in each of the formats; MINIMUM and BASIC WL have no lines. */
export const GENERATED_EXPECTED: Expected = {
  number: 'R-2026-0817',
  issueDate: '2026-05-04',
  dueDate: '2026-06-03',
  currency: 'EUR',
  seller: 'Gartenbau Kessler GmbH',
  sellerVatId: 'DE136695976',
  buyer: 'Stadt Göttingen',
  taxExclusive: '1425.00',
  tax: '237.75',
  taxInclusive: '1662.75',
  payable: '1662.75',
  lines: 2,
};

const SILENT = { log: () => undefined, warn: () => undefined, error: () => undefined };
const SERVICE = new InvoiceService(SILENT);

/** The invoice in one of the library's formats, as a file. */
export async function generated(format: string): Promise<Uint8Array> {
  const cover = await writePdf([[{ text: 'The invoice is in the embedded XML.', x: 50, y: 60 }]]);
  const written = await SERVICE.generate(SOURCE, {
    format,
    lang: 'de-de',
    noWarnings: true,
    ...(format.startsWith('Factur-X')
      ? { pdf: { buffer: cover, filename: 'invoice.pdf', mimetype: 'application/pdf' } }
      : {}),
  });
  return typeof written === 'string' ? new TextEncoder().encode(written) : written;
}

function subtotal(base: string, tax: string, rate: string) {
  return {
    'cbc:TaxableAmount': base,
    'cbc:TaxableAmount@currencyID': 'EUR' as const,
    'cbc:TaxAmount': tax,
    'cbc:TaxAmount@currencyID': 'EUR' as const,
    'cac:TaxCategory': { 'cbc:ID': 'S' as const, 'cbc:Percent': rate, 'cac:TaxScheme': { 'cbc:ID': 'VAT' as const } },
  };
}

interface Item {
  readonly id: string;
  readonly name: string;
  readonly quantity: string;
  readonly unit: 'HUR' | 'C62';
  readonly price: string;
  readonly net: string;
  readonly rate: string;
}

function line({ id, name, quantity, unit, price, net, rate }: Item) {
  return {
    'cbc:ID': id,
    'cbc:InvoicedQuantity': quantity,
    'cbc:InvoicedQuantity@unitCode': unit,
    'cbc:LineExtensionAmount': net,
    'cbc:LineExtensionAmount@currencyID': 'EUR' as const,
    'cac:Item': {
      'cbc:Name': name,
      'cac:ClassifiedTaxCategory': {
        'cbc:ID': 'S' as const,
        'cbc:Percent': rate,
        'cac:TaxScheme': { 'cbc:ID': 'VAT' as const },
      },
    },
    'cac:Price': { 'cbc:PriceAmount': price, 'cbc:PriceAmount@currencyID': 'EUR' as const },
  };
}
