import { UnreadableDocument } from '../document/unreadable-document.js';
import { kindOfTypeCode, present } from '../invoice.js';
import type { Invoice, Party, Payment, Totals } from '../invoice.js';
import { readUbl } from '../xml/read-ubl.js';
import { allowanceOf, lineOf, taxLineOf } from './json-lines.js';
import { amountOf, dateOf, elements, isObject, member, textOf } from './json-node.js';
import type { JsonNode } from './json-node.js';
import { ublTreeOf } from './ubl-json.js';

/**
 * Reads an invoice from a JSON value: our own model, UBL in JSON, or an object with the usual names
 * (`invoiceNumber`, `vendor`, `items`, `total` …). Throws `UnreadableDocument` when it holds none.
 */
export function readJson(value: unknown): Invoice {
  const tree = ublTreeOf(value);
  if (tree !== undefined) return { ...readUbl(tree), format: 'json' };
  const root = unwrapped({ value, pointer: '' });
  const totals = totalsOf(root);
  const number = textOf(member(root, 'number', 'invoiceNumber', 'invoiceNo', 'invoiceId', 'documentNumber', 'id'));
  const seller = party(member(root, 'seller', 'vendor', 'supplier', 'from', 'biller', 'issuer', 'sender'));
  const telling = [number, seller.name, totals.payable ?? totals.taxInclusive].filter((field) => field !== undefined);
  if (telling.length < 2) {
    throw new UnreadableDocument(
      'The JSON does not look like an invoice: at least two of a number, a seller and a total are needed.',
    );
  }
  const typeCode = textOf(member(root, 'typeCode', 'invoiceTypeCode', 'type'));
  return {
    format: 'json',
    kind: member(root, 'kind')?.value === 'credit-note' ? 'credit-note' : kindOfTypeCode(typeCode?.value),
    ...present({
      profile: textOf(member(root, 'profile', 'customizationId', 'specificationIdentifier')),
      number,
      typeCode,
      issueDate: dateOf(member(root, 'issueDate', 'invoiceDate', 'date', 'issuedAt', 'dateOfIssue')),
      dueDate: dateOf(member(root, 'dueDate', 'paymentDueDate', 'due')),
      deliveryDate: dateOf(member(root, 'deliveryDate', 'serviceDate', 'supplyDate')),
      currency: textOf(member(root, 'currency', 'currencyCode')),
      purchaseOrder: textOf(member(root, 'purchaseOrder', 'poNumber', 'orderNumber', 'orderReference')),
      buyerReference: textOf(member(root, 'buyerReference')),
    }),
    seller,
    buyer: party(member(root, 'buyer', 'customer', 'client', 'to', 'billTo', 'recipient')),
    payment: paymentOf(root),
    lines: elements(member(root, 'lines', 'lineItems', 'items', 'invoiceLines', 'positions')).map(lineOf),
    allowances: elements(member(root, 'allowances', 'allowanceCharges')).map(allowanceOf),
    taxes: elements(member(root, 'taxes', 'taxLines', 'vatBreakdown', 'taxBreakdown')).map(taxLineOf),
    totals,
    remarks: [],
  };
}

/** `{"invoice": {…}}` and `[{…}]` are the invoice inside. */
function unwrapped(node: JsonNode): JsonNode {
  const inner = member(node, 'invoice');
  if (inner !== undefined && isObject(inner.value)) return inner;
  const [only, ...others] = elements(node);
  return only !== undefined && others.length === 0 ? unwrapped(only) : node;
}

/** A party is an object, or just its name. */
function party(from: JsonNode | undefined): Party {
  if (from !== undefined && !isObject(from.value)) return present({ name: textOf(from) });
  const address = member(from, 'address', 'postalAddress');
  const place = address !== undefined && isObject(address.value) ? address : from;
  return present({
    name: textOf(member(from, 'name', 'companyName', 'legalName', 'company')),
    id: textOf(member(from, 'id', 'identifier', 'customerNumber')),
    vatId: textOf(member(from, 'vatId', 'vatNumber', 'vat', 'taxIdentifier')),
    taxId: textOf(member(from, 'taxId', 'taxNumber')),
    registrationId: textOf(member(from, 'registrationId', 'registrationNumber', 'companyNumber')),
    street: textOf(member(place, 'street', 'line1', 'addressLine1', 'streetName') ?? textual(address)),
    city: textOf(member(place, 'city', 'town')),
    postCode: textOf(member(place, 'postCode', 'postalCode', 'zip', 'zipCode')),
    country: textOf(member(place, 'country', 'countryCode')),
    email: textOf(member(from, 'email')),
  });
}

function textual(node: JsonNode | undefined): JsonNode | undefined {
  return typeof node?.value === 'string' ? node : undefined;
}

function paymentOf(root: JsonNode): Payment {
  const from = member(root, 'payment', 'paymentDetails', 'bank', 'bankAccount') ?? root;
  return present({
    iban: textOf(member(from, 'iban', 'account', 'accountNumber')),
    bic: textOf(member(from, 'bic', 'swift')),
    reference: textOf(member(from, 'reference', 'paymentReference', 'remittance')),
    terms: textOf(member(from, 'terms', 'paymentTerms')),
    payee: textOf(member(from, 'payee')),
  });
}

function totalsOf(root: JsonNode): Totals {
  const inner = member(root, 'totals', 'summary', 'amounts');
  const from = inner !== undefined && isObject(inner.value) ? inner : root;
  const gross = amountOf(
    member(from, 'taxInclusive', 'taxInclusiveAmount', 'gross', 'grandTotal', 'totalGross', 'total', 'totalAmount'),
  );
  return present({
    lineTotal: amountOf(member(from, 'lineTotal', 'lineExtensionAmount', 'sumOfLines')),
    allowanceTotal: amountOf(member(from, 'allowanceTotal', 'discountTotal', 'discount')),
    chargeTotal: amountOf(member(from, 'chargeTotal')),
    taxExclusive: amountOf(
      member(from, 'taxExclusive', 'taxExclusiveAmount', 'net', 'netTotal', 'totalNet', 'subtotal', 'netAmount'),
    ),
    tax: amountOf(member(from, 'tax', 'taxTotal', 'totalTax', 'vatTotal', 'totalVat', 'taxAmount', 'vat', 'vatAmount')),
    taxInclusive: gross,
    prepaid: amountOf(member(from, 'prepaid', 'amountPaid', 'paid')),
    rounding: amountOf(member(from, 'rounding')),
    payable: amountOf(member(from, 'payable', 'payableAmount', 'amountDue', 'totalDue', 'balanceDue')) ?? gross,
  });
}
