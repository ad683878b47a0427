import { BUYER_LABELS, DUE_DATE_LABELS, ISSUE_DATE_LABELS, NUMBER_LABELS, TITLES, startsWith } from './labels.js';
import type { Language } from './labels.js';
import type { Line } from './layout.js';

const ALL: readonly Language[] = ['en', 'de', 'fr'];

/** Words that only an invoice of that language has in its table or its sums. */
const WORDS: Readonly<Record<Language, RegExp>> = {
  en: /\b(?:subtotal|unit price|amount|quantity|qty|vat|tax|due|total due|description)\b/gu,
  de: /\b(?:mwst|ust|umsatzsteuer|mehrwertsteuer|menge|einzelpreis|gesamt\w*|betrag|netto|brutto|bezeichnung|beschreibung|summe)\b/gu,
  fr: /\b(?:tva|ht|ttc|montant|quantite|qte|prix|designation|sous-total|a payer|reglement)\b/gu,
};

/** The languages of the labels in use, the most frequent first; all three, because invoices mix them. */
export function languagesOf(lines: readonly Line[]): readonly [Language, ...Language[]] {
  const counts = ALL.map((language) => ({ language, count: countOf(language, lines) }));
  const [first = 'en', ...rest] = counts.toSorted((a, b) => b.count - a.count).map(({ language }) => language);
  return [first, ...rest];
}

function countOf(language: Language, lines: readonly Line[]): number {
  const labels = [NUMBER_LABELS, ISSUE_DATE_LABELS, DUE_DATE_LABELS, BUYER_LABELS, TITLES].flatMap((each) =>
    startsWith(each, [language]),
  );
  let count = 0;
  for (const { folded } of lines.flatMap(({ cells }) => cells)) {
    if (labels.some((label) => label.test(folded))) count += 1;
    count += folded.match(WORDS[language])?.length ?? 0;
  }
  return count;
}
