import { present } from '../invoice.js';
import type { Allowance } from '../invoice.js';
import { elementAt, elementsAt, textAt } from './xml-element.js';
import type { XmlElement } from './xml-element.js';
import { amountAt } from './xml-field.js';

/** Allowances and charges of a settlement; logistics charges (EXTENDED, ZUGFeRD 1.0) count as charges. */
export function allowances(settlement: XmlElement | undefined): readonly Allowance[] {
  return [
    ...elementsAt(settlement, 'SpecifiedTradeAllowanceCharge').map(allowance),
    ...elementsAt(settlement, 'SpecifiedLogisticsServiceCharge').map(logistics),
  ];
}

function allowance(from: XmlElement): Allowance {
  return {
    isCharge: textAt(from, 'ChargeIndicator/Indicator')?.toLowerCase() === 'true',
    ...present({
      amount: amountAt(from, 'ActualAmount'),
      reason: textAt(from, 'Reason') ?? textAt(from, 'ReasonCode'),
      ...tax(elementAt(from, 'CategoryTradeTax')),
    }),
    source: from.path,
    confidence: 1,
  };
}

function logistics(from: XmlElement): Allowance {
  return {
    isCharge: true,
    ...present({
      amount: amountAt(from, 'AppliedAmount'),
      reason: textAt(from, 'Description'),
      ...tax(elementAt(from, 'AppliedTradeTax')),
    }),
    source: from.path,
    confidence: 1,
  };
}

function tax(from: XmlElement | undefined): Record<'taxCategory' | 'taxRate', string | undefined> {
  return {
    taxCategory: textAt(from, 'CategoryCode'),
    taxRate: amountAt(from, 'RateApplicablePercent') ?? amountAt(from, 'ApplicablePercent'),
  };
}
