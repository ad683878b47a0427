import { sum, amountText, decimalOf } from '../decimal.js';
import { kindOfTypeCode, present } from '../invoice.js';
import type { Allowance, Found, Invoice, InvoiceLine, Party, TaxLine, Totals } from '../invoice.js';
import { elementAt, elementsAt, textAt } from './xml-element.js';
import type { XmlElement } from './xml-element.js';
import { amountAt, amountField, dateField, textField } from './xml-field.js';

/** Document elements of UBL 2.0 to 2.4 that are invoices. */
export const UBL_ROOTS = ['Invoice', 'CreditNote', 'SelfBilledInvoice', 'SelfBilledCreditNote'];

const LINES = 'InvoiceLine|CreditNoteLine';

/** Reads a UBL 2.x invoice or credit note (OASIS UBL 2.1; the EN 16931-3-2 mapping, with the older paths of UBL 2.0). */
export function readUbl(root: XmlElement): Invoice {
  const typeCode = textField(root, 'InvoiceTypeCode|CreditNoteTypeCode');
  const currency = textField(root, 'DocumentCurrencyCode') ?? currencyOfTotal(root);
  const isCredit = root.name.endsWith('CreditNote') || kindOfTypeCode(typeCode?.value) === 'credit-note';
  return {
    format: 'ubl',
    kind: isCredit ? 'credit-note' : 'invoice',
    ...present({
      profile: textField(root, 'CustomizationID'),
      number: textField(root, 'ID'),
      typeCode,
      issueDate: dateField(root, 'IssueDate'),
      dueDate: dateField(root, 'DueDate', 'PaymentMeans/PaymentDueDate', 'PaymentTerms/PaymentDueDate'),
      deliveryDate: dateField(root, 'Delivery/ActualDeliveryDate'),
      currency,
      purchaseOrder: textField(root, 'OrderReference/ID'),
      buyerReference: textField(root, 'BuyerReference'),
    }),
    seller: party(elementAt(root, 'AccountingSupplierParty/Party')),
    buyer: party(elementAt(root, 'AccountingCustomerParty/Party')),
    payment: payment(root),
    lines: elementsAt(root, LINES).map(line),
    allowances: elementsAt(root, 'AllowanceCharge').map(allowance),
    taxes: elementsAt(root, 'TaxTotal/TaxSubtotal').map(taxLine),
    totals: totals(root, currency?.value),
    remarks: [],
  };
}

function currencyOfTotal(root: XmlElement): Found | undefined {
  const payable = elementAt(root, 'LegalMonetaryTotal/PayableAmount');
  const value = payable?.attributes.currencyID;
  return payable === undefined || value === undefined
    ? undefined
    : { value, source: `${payable.path}/@currencyID`, confidence: 1 };
}

function party(from: XmlElement | undefined): Party {
  const schemes = elementsAt(from, 'PartyTaxScheme');
  const vat = schemes.find((scheme) => textAt(scheme, 'TaxScheme/ID')?.toUpperCase() === 'VAT');
  const other = schemes.find((scheme) => scheme !== vat);
  return present({
    name: textField(from, 'PartyLegalEntity/RegistrationName', 'PartyName/Name', 'Contact/Name'),
    id: textField(from, 'PartyIdentification/ID', 'EndpointID'),
    vatId: textField(vat, 'CompanyID'),
    taxId: textField(other, 'CompanyID'),
    registrationId: textField(from, 'PartyLegalEntity/CompanyID'),
    street: textField(from, 'PostalAddress/StreetName', 'PostalAddress/AddressLine/Line', 'PostalAddress/Postbox'),
    city: textField(from, 'PostalAddress/CityName'),
    postCode: textField(from, 'PostalAddress/PostalZone'),
    country: textField(from, 'PostalAddress/Country/IdentificationCode'),
    email: textField(from, 'Contact/ElectronicMail'),
  });
}

function payment(root: XmlElement): Invoice['payment'] {
  const branch = 'PaymentMeans/PayeeFinancialAccount/FinancialInstitutionBranch';
  return present({
    iban: textField(root, 'PaymentMeans/PayeeFinancialAccount/ID'),
    bic: textField(root, `${branch}/ID`, `${branch}/FinancialInstitution/ID`),
    reference: textField(root, 'PaymentMeans/PaymentID'),
    terms: textField(root, 'PaymentTerms/Note'),
    payee: textField(root, 'PayeeParty/PartyName/Name'),
  });
}

function line(from: XmlElement): InvoiceLine {
  const category = elementAt(from, 'Item/ClassifiedTaxCategory') ?? elementAt(from, 'TaxTotal/TaxSubtotal/TaxCategory');
  const { charges, allowances } = lineAllowances(from);
  return {
    kind: 'detail',
    ...present({
      id: textAt(from, 'ID'),
      name: textAt(from, 'Item/Name') ?? textAt(from, 'Item/Description'),
      quantity: amountAt(from, 'InvoicedQuantity|CreditedQuantity'),
      unit: elementAt(from, 'InvoicedQuantity|CreditedQuantity')?.attributes.unitCode,
      unitPrice: amountAt(from, 'Price/PriceAmount'),
      priceQuantity: amountAt(from, 'Price/BaseQuantity'),
      allowances,
      charges,
      netAmount: amountAt(from, 'LineExtensionAmount'),
      taxCategory: textAt(category, 'ID'),
      taxRate: amountAt(category, 'Percent'),
    }),
    source: from.path,
    confidence: 1,
  };
}

function lineAllowances(from: XmlElement): Pick<InvoiceLine, 'charges' | 'allowances'> {
  const all = elementsAt(from, 'AllowanceCharge').map(allowance);
  const total = (isCharge: boolean): string | undefined => {
    const amounts = all.filter((one) => one.isCharge === isCharge).map(({ amount }) => amount);
    return amounts.length === 0 ? undefined : amountText(sum(amounts));
  };
  return present({ charges: total(true), allowances: total(false) });
}

function allowance(from: XmlElement): Allowance {
  return {
    isCharge: textAt(from, 'ChargeIndicator')?.toLowerCase() === 'true',
    ...present({
      amount: amountAt(from, 'Amount'),
      reason: textAt(from, 'AllowanceChargeReason') ?? textAt(from, 'AllowanceChargeReasonCode'),
      taxCategory: textAt(from, 'TaxCategory/ID'),
      taxRate: amountAt(from, 'TaxCategory/Percent'),
    }),
    source: from.path,
    confidence: 1,
  };
}

function taxLine(from: XmlElement): TaxLine {
  return {
    ...present({
      category: textAt(from, 'TaxCategory/ID'),
      rate: amountAt(from, 'TaxCategory/Percent') ?? amountAt(from, 'Percent'),
      taxableAmount: amountAt(from, 'TaxableAmount'),
      taxAmount: amountAt(from, 'TaxAmount'),
      exemptionReason:
        textAt(from, 'TaxCategory/TaxExemptionReason') ?? textAt(from, 'TaxCategory/TaxExemptionReasonCode'),
    }),
    source: from.path,
    confidence: 1,
  };
}

function totals(root: XmlElement, currency: string | undefined): Totals {
  const from = elementAt(root, 'LegalMonetaryTotal');
  return present({
    lineTotal: amountField(from, 'LineExtensionAmount'),
    allowanceTotal: amountField(from, 'AllowanceTotalAmount'),
    chargeTotal: amountField(from, 'ChargeTotalAmount'),
    taxExclusive: amountField(from, 'TaxExclusiveAmount'),
    tax: totalTax(root, currency),
    taxInclusive: amountField(from, 'TaxInclusiveAmount'),
    prepaid: amountField(from, 'PrepaidAmount'),
    rounding: amountField(from, 'PayableRoundingAmount'),
    payable: amountField(from, 'PayableAmount'),
  });
}

/** The TaxTotals in the document's currency, added up; one in the accounting currency (BT-111) is another thing. */
function totalTax(root: XmlElement, currency: string | undefined): Found | undefined {
  const amounts = elementsAt(root, 'TaxTotal/TaxAmount').filter(
    ({ text, attributes }) => decimalOf(text) !== undefined && (attributes.currencyID ?? currency) === currency,
  );
  if (amounts.length === 0) return undefined;
  const value = amounts.length === 1 ? amounts[0]?.text : amountText(sum(amounts.map(({ text }) => text)));
  const source = amounts.map(({ path }) => path).join(' + ');
  return value === undefined ? undefined : { value, source, confidence: 1 };
}
