import { amountText, sum } from '../decimal.js';
import { present } from '../invoice.js';
import type { InvoiceLine } from '../invoice.js';
import { allowances } from './cii-allowance.js';
import { elementAt, textAt } from './xml-element.js';
import type { XmlElement } from './xml-element.js';
import { amountAt } from './xml-field.js';

const SUM = 'SpecifiedTradeSettlementLineMonetarySummation|SpecifiedTradeSettlementMonetarySummation';
const KINDS: Readonly<Record<string, InvoiceLine['kind']>> = { GROUP: 'group', INFORMATION: 'information' };

/** A line of a CII invoice; none for an entry that is only a note (ZUGFeRD 1.0 writes remarks so). */
export function line(from: XmlElement): readonly InvoiceLine[] {
  const document = elementAt(from, 'AssociatedDocumentLineDocument');
  const values = { ...goods(from), ...money(from), id: textAt(document, 'LineID') };
  if (values.name === undefined && values.netAmount === undefined) return [];
  const status = textAt(document, 'LineStatusReasonCode')?.toUpperCase() ?? '';
  return [{ kind: KINDS[status] ?? 'detail', ...present(values), source: from.path, confidence: 1 }];
}

function goods(from: XmlElement) {
  const price = elementAt(
    from,
    'SpecifiedLineTradeAgreement|SpecifiedSupplyChainTradeAgreement/NetPriceProductTradePrice',
  );
  const delivery = elementAt(from, 'SpecifiedLineTradeDelivery|SpecifiedSupplyChainTradeDelivery');
  return {
    name: textAt(from, 'SpecifiedTradeProduct/Name'),
    quantity: amountAt(delivery, 'BilledQuantity'),
    unit: elementAt(delivery, 'BilledQuantity')?.attributes.unitCode,
    unitPrice: amountAt(price, 'ChargeAmount'),
    priceQuantity: amountAt(price, 'BasisQuantity'),
  };
}

function money(from: XmlElement) {
  const settlement = elementAt(from, 'SpecifiedLineTradeSettlement|SpecifiedSupplyChainTradeSettlement');
  const tax = elementAt(settlement, 'ApplicableTradeTax');
  const all = allowances(settlement);
  const total = (isCharge: boolean): string | undefined => {
    const amounts = all.filter((one) => one.isCharge === isCharge).map(({ amount }) => amount);
    return amounts.length === 0 ? undefined : amountText(sum(amounts));
  };
  return {
    allowances: total(false),
    charges: total(true),
    netAmount: amountAt(settlement, `${SUM}/LineTotalAmount`),
    taxCategory: textAt(tax, 'CategoryCode'),
    taxRate: amountAt(tax, 'RateApplicablePercent') ?? amountAt(tax, 'ApplicablePercent'),
  };
}
