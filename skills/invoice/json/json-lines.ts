import { decimalText } from '../decimal.js';
import { LINE_KINDS } from '../invoice-terms.js';
import { present } from '../invoice.js';
import type { Allowance, InvoiceLine, TaxLine } from '../invoice.js';
import { amountOf, member, textOf } from './json-node.js';
import type { JsonNode } from './json-node.js';

/** A line with the usual names. */
export function lineOf(from: JsonNode): InvoiceLine {
  const kind = member(from, 'kind')?.value;
  return {
    kind: LINE_KINDS.find((each) => each === kind) ?? 'detail',
    ...present({
      id: text(from, 'id', 'lineId', 'position', 'lineNumber'),
      name: text(from, 'name', 'description', 'title', 'item', 'product'),
      quantity: amount(from, 'quantity', 'qty', 'count'),
      unit: text(from, 'unit', 'unitCode', 'uom'),
      unitPrice: amount(from, 'unitPrice', 'price', 'rate'),
      priceQuantity: amount(from, 'priceQuantity', 'baseQuantity'),
      allowances: amount(from, 'allowances', 'discount'),
      charges: amount(from, 'charges'),
      netAmount: amount(from, 'netAmount', 'amount', 'lineTotal', 'total', 'net', 'lineExtensionAmount'),
      taxCategory: text(from, 'taxCategory', 'vatCategory'),
      taxRate: rate(from),
    }),
    ...origin(from),
  };
}

/** The VAT of one rate with the usual names. */
export function taxLineOf(from: JsonNode): TaxLine {
  return {
    ...present({
      category: text(from, 'category', 'taxCategory', 'vatCategory'),
      rate: rate(from),
      taxableAmount: amount(from, 'taxableAmount', 'basisAmount', 'basis', 'base', 'net'),
      taxAmount: amount(from, 'taxAmount', 'amount', 'tax', 'vat'),
      exemptionReason: text(from, 'exemptionReason'),
    }),
    ...origin(from),
  };
}

/** An allowance or charge with the usual names. */
export function allowanceOf(from: JsonNode): Allowance {
  return {
    isCharge: member(from, 'isCharge', 'charge', 'chargeIndicator')?.value === true,
    ...present({
      amount: amount(from, 'amount'),
      reason: text(from, 'reason', 'description'),
      taxCategory: text(from, 'taxCategory', 'vatCategory'),
      taxRate: rate(from),
    }),
    ...origin(from),
  };
}

/** `19`, `"19.00"` and `"19 %"` are the same rate. */
function rate(from: JsonNode): string | undefined {
  const written = text(from, 'taxRate', 'vatRate', 'rate', 'percent', 'vatPercent');
  return written === undefined ? undefined : decimalText(written.replace('%', ''));
}

/** A line of our own model keeps where it came from. */
function origin(from: JsonNode): { readonly source: string; readonly confidence: number } {
  const source = member(from, 'source')?.value;
  const confidence = member(from, 'confidence')?.value;
  return typeof source === 'string' && typeof confidence === 'number'
    ? { source, confidence: Math.min(1, Math.max(0, confidence)) }
    : { source: from.pointer, confidence: 1 };
}

function text(from: JsonNode, ...names: readonly string[]): string | undefined {
  return textOf(member(from, ...names))?.value;
}

function amount(from: JsonNode, ...names: readonly string[]): string | undefined {
  return amountOf(member(from, ...names))?.value;
}
