import { UnreadableDocument } from '../document/unreadable-document.js';
import { amountText, sum } from '../decimal.js';
import { present } from '../invoice.js';
import type { Found, Invoice } from '../invoice.js';
import type { PdfPage } from '../pdf/pdf-part.js';
import { languagesOf } from './document-language.js';
import { findCurrency } from './find-currency.js';
import { findHeader } from './find-header.js';
import { findLines } from './find-lines.js';
import { findParties } from './find-parties.js';
import { findPayment } from './find-payment.js';
import { findTotals } from './find-totals.js';
import { labelledAmounts } from './labelled-amount.js';
import { linesOf } from './layout.js';
import type { Line } from './layout.js';
import { dateOrderOf } from './printed-date.js';
import { decimalMarkOf } from './printed-number.js';

/** Numbers, dates and parties are on the first pages or the last one; between them are items. */
const HEAD_PAGES = 3;

/** A page with fewer characters than this has no text worth the name; scanners print a number or a stamp. */
const MIN_CHARACTERS = 25;

const SCAN =
  'The PDF has no text that can be read: its pages are pictures, as of a scan or a photo. ' +
  'Send the original PDF, or an electronic invoice (UBL, CII, Factur-X, ZUGFeRD).';

/** Reads an invoice from the words printed on its pages, by labels, positions and sums. Throws `UnreadableDocument`. */
export function readText(pages: readonly PdfPage[]): Invoice {
  refuseBooks(pages);
  const lines = linesOf(pages);
  const isHead = (line: Line): boolean => line.page <= HEAD_PAGES || line.page === pages.length;
  const head = lines.filter(isHead);
  const texts = lines.flatMap(({ cells }) => cells.map(({ text }) => text));
  refuseWithoutText(texts);
  const languages = languagesOf(head);
  const currency = findCurrency(head);
  const mark = decimalMarkOf(texts, languages[0] === 'en' ? '.' : ',');
  const isAmerican = languages[0] === 'en' && currency?.value === 'USD';
  const dateOrder = dateOrderOf(texts, isAmerican ? 'month-first' : 'day-first');
  const { items, rest } = findLines(lines, mark);
  const lineSum = items.length === 0 ? undefined : amountText(sum(items.map(({ netAmount }) => netAmount)));
  const { remarks, ...sums } = findTotals(labelledAmounts(rest, mark), lineSum);
  const around = rest.filter(isHead);
  const header = findHeader({ lines: around, languages, dateOrder });
  refuseOthers(header.number, sums.totals.taxInclusive, header.issueDate);
  return {
    format: 'pdf-text',
    kind: kindOf(head),
    ...present({ ...header, currency }),
    ...findParties(around, languages),
    payment: findPayment(around),
    lines: items,
    ...sums,
    remarks: [...notFound({ number: header.number, 'date of issue': header.issueDate, currency }), ...remarks],
  };
}

/** Looking through more than this would hold up the process for seconds, and no invoice has as much. */
const MAX_WORDS = 100_000;

function refuseBooks(pages: readonly PdfPage[]): void {
  const count = pages.reduce((sum, { words }) => sum + words.length, 0);
  if (count > MAX_WORDS)
    throw new UnreadableDocument('The document has far more text than an invoice; it is not looked through.');
}

function refuseWithoutText(texts: readonly string[]): void {
  const all = texts.join('');
  if (all.length < MIN_CHARACTERS) throw new UnreadableDocument(SCAN);
  // Fonts without a map to Unicode give private or control characters: ink on paper, but no text.
  const letters = all.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  if (letters < all.length / 3) throw new UnreadableDocument(SCAN);
}

function refuseOthers(...telling: readonly (Found | undefined)[]): void {
  const count = telling.filter((field) => field !== undefined).length;
  if (count < 2) {
    throw new UnreadableDocument(
      'The document has text, but neither an invoice number nor a total was recognised in it.',
    );
  }
}

function kindOf(lines: readonly Line[]): Invoice['kind'] {
  const isCredit = lines
    .slice(0, 40)
    .flatMap(({ cells }) => cells)
    .some(({ folded }) =>
      /^(?:credit note|credit memo|gutschrift|rechnungskorrektur|avoir|facture d'avoir)/u.test(folded),
    );
  return isCredit ? 'credit-note' : 'invoice';
}

function notFound(fields: Readonly<Record<string, Found | undefined>>): readonly string[] {
  return Object.entries(fields)
    .filter(([, field]) => field === undefined)
    .map(([name]) => `The ${name} was not found.`);
}
