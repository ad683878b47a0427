import { decimalText } from '../decimal.js';
import { kindOfTypeCode, present } from '../invoice.js';
import type { Found, Invoice, Party, TaxLine, Totals } from '../invoice.js';
import { allowances } from './cii-allowance.js';
import { line } from './cii-line.js';
import { elementAt, elementsAt, textAt } from './xml-element.js';
import type { XmlElement } from './xml-element.js';
import { amountAt, amountField, dateField, textField } from './xml-field.js';

/** Document elements of UN/CEFACT's CII (D16B and later) and of ZUGFeRD 1.0, its draft. */
export const CII_ROOTS = ['CrossIndustryInvoice', 'CrossIndustryDocument'];

const DOCUMENT = 'ExchangedDocument|HeaderExchangedDocument';
const SUM = 'SpecifiedTradeSettlementHeaderMonetarySummation|SpecifiedTradeSettlementMonetarySummation';

interface Parts {
  readonly root: XmlElement;
  readonly agreement: XmlElement | undefined;
  readonly delivery: XmlElement | undefined;
  readonly settlement: XmlElement | undefined;
}

/** Reads a Cross Industry Invoice: Factur-X, ZUGFeRD 1.0 and 2.x, XRechnung in CII (the EN 16931-3-3 mapping). */
export function readCii(root: XmlElement): Invoice {
  const trade = elementAt(root, 'SupplyChainTradeTransaction|SpecifiedSupplyChainTradeTransaction');
  const parts: Parts = {
    root,
    agreement: elementAt(trade, 'ApplicableHeaderTradeAgreement|ApplicableSupplyChainTradeAgreement'),
    delivery: elementAt(trade, 'ApplicableHeaderTradeDelivery|ApplicableSupplyChainTradeDelivery'),
    settlement: elementAt(trade, 'ApplicableHeaderTradeSettlement|ApplicableSupplyChainTradeSettlement'),
  };
  const typeCode = textField(root, `${DOCUMENT}/TypeCode`);
  const currency = textField(parts.settlement, 'InvoiceCurrencyCode');
  return {
    format: 'cii',
    kind: kindOfTypeCode(typeCode?.value),
    ...present({ ...header(parts), typeCode, currency }),
    seller: party(elementAt(parts.agreement, 'SellerTradeParty')),
    buyer: party(elementAt(parts.agreement, 'BuyerTradeParty')),
    payment: payment(parts.settlement),
    lines: elementsAt(trade, 'IncludedSupplyChainTradeLineItem').flatMap(line),
    allowances: allowances(parts.settlement),
    taxes: elementsAt(parts.settlement, 'ApplicableTradeTax').map(taxLine),
    totals: totals(parts.settlement, currency?.value),
    remarks: [],
  };
}

function header({ root, agreement, delivery, settlement }: Parts) {
  const guideline = 'GuidelineSpecifiedDocumentContextParameter/ID';
  return {
    profile: textField(root, `ExchangedDocumentContext|SpecifiedExchangedDocumentContext/${guideline}`),
    number: textField(root, `${DOCUMENT}/ID`),
    issueDate: dateField(root, `${DOCUMENT}/IssueDateTime/DateTimeString|DateTime`),
    dueDate: dateField(settlement, 'SpecifiedTradePaymentTerms/DueDateDateTime/DateTimeString|DateTime'),
    deliveryDate: dateField(delivery, 'ActualDeliverySupplyChainEvent/OccurrenceDateTime/DateTimeString|DateTime'),
    purchaseOrder: textField(
      agreement,
      'BuyerOrderReferencedDocument/IssuerAssignedID',
      'BuyerOrderReferencedDocument/ID',
    ),
    buyerReference: textField(agreement, 'BuyerReference'),
  };
}

function party(from: XmlElement | undefined): Party {
  const registrations = elementsAt(from, 'SpecifiedTaxRegistration/ID');
  const registration = (scheme: string): Found | undefined => {
    const id = registrations.find(({ attributes, text }) => attributes.schemeID === scheme && text !== '');
    return id === undefined ? undefined : { value: id.text, source: id.path, confidence: 1 };
  };
  return present({
    name: textField(from, 'Name', 'SpecifiedLegalOrganization/TradingBusinessName'),
    id: textField(from, 'ID', 'GlobalID', 'URIUniversalCommunication/URIID'),
    vatId: registration('VA'),
    taxId: registration('FC'),
    registrationId: textField(from, 'SpecifiedLegalOrganization/ID'),
    street: textField(from, 'PostalTradeAddress/LineOne', 'PostalTradeAddress/StreetName'),
    city: textField(from, 'PostalTradeAddress/CityName'),
    postCode: textField(from, 'PostalTradeAddress/PostcodeCode'),
    country: textField(from, 'PostalTradeAddress/CountryID'),
    email: textField(from, 'DefinedTradeContact/EmailURIUniversalCommunication/URIID|CompleteNumber'),
  });
}

function payment(settlement: XmlElement | undefined): Invoice['payment'] {
  const means = 'SpecifiedTradeSettlementPaymentMeans';
  const account = `${means}/PayeePartyCreditorFinancialAccount`;
  return present({
    iban: textField(settlement, `${account}/IBANID`, `${account}/ProprietaryID`),
    bic: textField(settlement, `${means}/PayeeSpecifiedCreditorFinancialInstitution/BICID`),
    reference: textField(settlement, 'PaymentReference'),
    terms: textField(settlement, 'SpecifiedTradePaymentTerms/Description'),
    payee: textField(settlement, 'PayeeTradeParty/Name'),
  });
}

function taxLine(from: XmlElement): TaxLine {
  return {
    ...present({
      category: textAt(from, 'CategoryCode'),
      rate: amountAt(from, 'RateApplicablePercent') ?? amountAt(from, 'ApplicablePercent'),
      taxableAmount: amountAt(from, 'BasisAmount'),
      taxAmount: amountAt(from, 'CalculatedAmount'),
      exemptionReason: textAt(from, 'ExemptionReason') ?? textAt(from, 'ExemptionReasonCode'),
    }),
    source: from.path,
    confidence: 1,
  };
}

function totals(settlement: XmlElement | undefined, currency: string | undefined): Totals {
  const from = elementAt(settlement, SUM);
  return present({
    lineTotal: amountField(from, 'LineTotalAmount'),
    allowanceTotal: amountField(from, 'AllowanceTotalAmount'),
    chargeTotal: amountField(from, 'ChargeTotalAmount'),
    taxExclusive: amountField(from, 'TaxBasisTotalAmount'),
    tax: totalTax(from, currency),
    taxInclusive: amountField(from, 'GrandTotalAmount'),
    prepaid: amountField(from, 'TotalPrepaidAmount'),
    rounding: amountField(from, 'RoundingAmount'),
    payable: amountField(from, 'DuePayableAmount'),
  });
}

/** The tax total in the document's currency; a second one is in the accounting currency (BT-111). */
function totalTax(from: XmlElement | undefined, currency: string | undefined): Found | undefined {
  const all = elementsAt(from, 'TaxTotalAmount');
  const found = all.find(({ attributes }) => (attributes.currencyID ?? currency) === currency);
  const value = found === undefined ? undefined : decimalText(found.text);
  return found === undefined || value === undefined ? undefined : { value, source: found.path, confidence: 1 };
}
