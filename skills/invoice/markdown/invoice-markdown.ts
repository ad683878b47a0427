import type { Found, Invoice, Party } from '../invoice.js';
import { plain, table } from './markdown.js';

/** Lines that a summary shows; the rest is in the data. */
const MAX_ROWS = 100;

const TOTALS: readonly (readonly [keyof Invoice['totals'], string])[] = [
  ['lineTotal', 'Lines'],
  ['allowanceTotal', 'Allowances'],
  ['chargeTotal', 'Charges'],
  ['taxExclusive', 'Total without VAT'],
  ['tax', 'VAT'],
  ['taxInclusive', 'Total with VAT'],
  ['prepaid', 'Paid already'],
  ['rounding', 'Rounding'],
  ['payable', 'To be paid'],
];

/** An invoice for people to read. Values that are not certain carry a question mark. */
export function invoiceMarkdown(invoice: Invoice): string {
  const { seller, buyer, lines, totals, remarks, currency } = invoice;
  const unit = currency === undefined ? '' : ` ${plain(currency.value)}`;
  return [
    `# ${titleOf(invoice)}`,
    '',
    ...table(['', ''], facts(invoice)),
    '| | Seller | Buyer |',
    '| --- | --- | --- |',
    ...partyRows(seller, buyer),
    '',
    ...lineTable(invoice),
    ...(lines.length > MAX_ROWS ? [`… and ${String(lines.length - MAX_ROWS)} more lines.`, ''] : []),
    ...table(
      ['Total', 'Amount'],
      TOTALS.flatMap(([name, label]) => {
        const field = totals[name];
        return field === undefined ? [] : [[label, `${sure(field)}${unit}`]];
      }),
    ),
    ...remarks.map((remark) => `- ${plain(remark)}`),
  ]
    .join('\n')
    .trim();
}

/** `Invoice 4711 of Muster GmbH`. */
export function titleOf({ kind, number, seller }: Invoice): string {
  const what = kind === 'credit-note' ? 'Credit note' : 'Invoice';
  const of = seller.name === undefined ? '' : ` of ${plain(seller.name.value)}`;
  return `${what} ${number === undefined ? 'without a number' : plain(number.value)}${of}`;
}

/** An amount with its currency: `1234.50 EUR`. */
export function moneyOf(amount: Found | undefined, { currency }: Invoice): string {
  return [amount?.value ?? 'unknown', currency === undefined ? '' : plain(currency.value)].join(' ').trim();
}

function facts({ issueDate, dueDate, deliveryDate, purchaseOrder, payment, format }: Invoice): readonly string[][] {
  const fields: readonly (readonly [string, Found | undefined])[] = [
    ['Date', issueDate],
    ['Due', dueDate],
    ['Delivered', deliveryDate],
    ['Order', purchaseOrder],
    ['Account', payment.iban],
    ['Payment reference', payment.reference],
  ];
  const rows = fields.flatMap(([name, field]) => (field === undefined ? [] : [[name, sure(field)]]));
  return [
    ...rows,
    [
      'Read from',
      format === 'pdf-text' ? 'the text of the pages' : format === 'text' ? 'plain text' : format.toUpperCase(),
    ],
  ];
}

function partyRows(seller: Party, buyer: Party): readonly string[] {
  const rows: readonly (readonly [string, keyof Party])[] = [
    ['Name', 'name'],
    ['VAT identifier', 'vatId'],
    ['Street', 'street'],
    ['Post code', 'postCode'],
    ['City', 'city'],
    ['Country', 'country'],
  ];
  return rows
    .filter(([, field]) => (seller[field] ?? buyer[field]) !== undefined)
    .map(([label, field]) => `| ${label} | ${sure(seller[field])} | ${sure(buyer[field])} |`);
}

function lineTable({ lines }: Invoice): readonly string[] {
  const head = ['#', 'Item', 'Quantity', 'Price', 'Net amount', 'VAT %'];
  return table(
    head,
    lines
      .slice(0, MAX_ROWS)
      .map(({ id, name, quantity, unit, unitPrice, netAmount, taxRate }) => [
        plain(id ?? ''),
        plain(name ?? ''),
        plain([quantity ?? '', unit ?? ''].join(' ').trim()),
        unitPrice ?? '',
        netAmount ?? '',
        taxRate ?? '',
      ]),
  );
}

function sure(field: Found | undefined): string {
  if (field === undefined) return '';
  return field.confidence < 0.7 ? `${plain(field.value)} (?)` : plain(field.value);
}
