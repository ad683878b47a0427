import type { Invoice, InvoiceLine, Party, TaxLine } from '../invoice.js';
import type { Problem, Rule } from './rule.js';

type Field = readonly [
  id: string,
  scope: Rule['scope'],
  path: string,
  what: string,
  read: (invoice: Invoice) => unknown,
];

const FIELDS: readonly Field[] = [
  ['BR-01', 'form', 'profile', 'specification identifier (BT-24)', ({ profile }) => profile],
  ['BR-02', 'always', 'number', 'invoice number (BT-1)', ({ number }) => number],
  ['BR-03', 'always', 'issueDate', 'date of issue (BT-2)', ({ issueDate }) => issueDate],
  ['BR-04', 'form', 'typeCode', 'type code (BT-3)', ({ typeCode }) => typeCode],
  ['BR-05', 'always', 'currency', 'currency (BT-5)', ({ currency }) => currency],
  ['BR-06', 'always', 'seller.name', "seller's name (BT-27)", ({ seller }) => seller.name],
  ['BR-07', 'always', 'buyer.name', "buyer's name (BT-44)", ({ buyer }) => buyer.name],
  ['BR-08', 'form', 'seller', "seller's postal address (BG-5)", ({ seller }) => address(seller)],
  ['BR-09', 'form', 'seller.country', "seller's country (BT-40)", ({ seller }) => seller.country],
  ['BR-10', 'lines', 'buyer', "buyer's postal address (BG-8)", ({ buyer }) => address(buyer)],
  ['BR-11', 'lines', 'buyer.country', "buyer's country (BT-55)", ({ buyer }) => buyer.country],
  ['BR-12', 'lines', 'totals.lineTotal', 'sum of the lines (BT-106)', ({ totals }) => totals.lineTotal],
  ['BR-13', 'form', 'totals.taxExclusive', 'total without VAT (BT-109)', ({ totals }) => totals.taxExclusive],
  ['BR-14', 'always', 'totals.taxInclusive', 'total with VAT (BT-112)', ({ totals }) => totals.taxInclusive],
  ['BR-15', 'always', 'totals.payable', 'amount to be paid (BT-115)', ({ totals }) => totals.payable],
  ['BR-16', 'lines', 'lines', 'invoice line (BG-25)', ({ lines }) => lines[0]],
];

/** The required fields of EN 16931 (BR-01 to BR-65), as far as the model has them. */
export const REQUIRED_RULES: readonly Rule[] = [
  ...FIELDS.map(required),
  ofLines('BR-21', 'id', 'identifier (BT-126)'),
  ofLines('BR-22', 'quantity', 'quantity (BT-129)'),
  ofLines('BR-23', 'unit', 'unit of measure (BT-130)'),
  ofLines('BR-24', 'netAmount', 'net amount (BT-131)'),
  ofLines('BR-25', 'name', 'item name (BT-153)'),
  ofLines('BR-26', 'unitPrice', 'net price (BT-146)'),
  ofAllowances('BR-31', false, 'amount', 'amount (BT-92)'),
  ofAllowances('BR-32', false, 'taxCategory', 'VAT category (BT-95)'),
  ofAllowances('BR-33', false, 'reason', 'reason (BT-97, BT-98)'),
  ofAllowances('BR-36', true, 'amount', 'amount (BT-99)'),
  ofAllowances('BR-37', true, 'taxCategory', 'VAT category (BT-102)'),
  ofAllowances('BR-38', true, 'reason', 'reason (BT-104, BT-105)'),
  ofTaxes('BR-45', 'taxableAmount', 'taxable amount (BT-116)'),
  ofTaxes('BR-46', 'taxAmount', 'tax amount (BT-117)'),
  ofTaxes('BR-47', 'category', 'category (BT-118)'),
  {
    id: 'BR-48',
    scope: 'form',
    check: ({ taxes }) =>
      taxes.flatMap(({ category, rate }, at) =>
        rate === undefined && category !== 'O'
          ? [missing(`taxes[${String(at)}].rate`, 'The VAT line has no rate (BT-119).')]
          : [],
      ),
  },
  ofLines('BR-CO-04', 'taxCategory', 'VAT category (BT-151)'),
  {
    id: 'BR-CO-18',
    scope: 'lines',
    check: ({ taxes }) => (taxes.length > 0 ? [] : [missing('taxes', 'There is no VAT breakdown (BG-23).')]),
  },
  {
    id: 'BR-CO-25',
    scope: 'lines',
    check: ({ totals, dueDate, payment }) =>
      totals.payable?.value.startsWith('-') === false &&
      !/^0(?:\.0+)?$/u.test(totals.payable.value) &&
      dueDate === undefined &&
      payment.terms === undefined
        ? [missing('dueDate', 'An amount is due, but neither a due date (BT-9) nor payment terms (BT-20) are given.')]
        : [],
  },
  {
    id: 'BR-CO-26',
    scope: 'form',
    check: ({ seller: { id, registrationId, vatId } }) =>
      (id ?? registrationId ?? vatId) !== undefined
        ? []
        : [missing('seller', 'The seller has no identifier: BT-29, BT-30 or BT-31 is needed.')],
  },
];

function required([id, scope, path, what, read]: Field): Rule {
  const check = (invoice: Invoice): readonly Problem[] =>
    read(invoice) === undefined ? [missing(path, `The ${what} is missing.`)] : [];
  return { id, scope, check };
}

function ofLines(id: string, field: keyof InvoiceLine, what: string): Rule {
  return {
    id,
    scope: 'form',
    check: ({ lines }) =>
      lines.flatMap((line, at) =>
        line.kind === 'detail' && line[field] === undefined
          ? [missing(`lines[${String(at)}].${field}`, `The line has no ${what}.`)]
          : [],
      ),
  };
}

function ofTaxes(id: string, field: keyof TaxLine, what: string): Rule {
  return {
    id,
    scope: 'form',
    check: ({ taxes }) =>
      taxes.flatMap((tax, at) =>
        tax[field] === undefined ? [missing(`taxes[${String(at)}].${field}`, `The VAT line has no ${what}.`)] : [],
      ),
  };
}

function ofAllowances(id: string, isCharge: boolean, field: 'amount' | 'taxCategory' | 'reason', what: string): Rule {
  const name = isCharge ? 'charge' : 'allowance';
  return {
    id,
    scope: 'form',
    check: ({ allowances }) =>
      allowances.flatMap((each, at) =>
        each.isCharge === isCharge && each[field] === undefined
          ? [missing(`allowances[${String(at)}].${field}`, `The ${name} has no ${what}.`)]
          : [],
      ),
  };
}

function address({ street, city, postCode, country }: Party): unknown {
  return street ?? city ?? postCode ?? country;
}

function missing(path: string, message: string): Problem {
  return { path, message };
}
