import { moneyOf } from '../markdown/invoice-markdown.js';
import { plain } from '../markdown/markdown.js';
import { folded } from '../text/folded.js';
import type { PaymentCase } from './payment-case.js';

type Topic = readonly [words: RegExp, answer: (payment: PaymentCase) => string];

/** Words of a question, folded, and the invoice's answer to it. */
const TOPICS: readonly Topic[] = [
  [/\b(?:how much|amount|total|sum|betrag|summe|wieviel|wie viel|montant|combien)\b/u, amount],
  [
    /\b(?:when|due|deadline|wann|fallig|frist|quand|echeance|delai)\b/u,
    ({ invoice }) => `It is due on ${invoice.dueDate?.value ?? 'a day that it does not say'}.`,
  ],
  [/\b(?:who|whom|seller|supplier|vendor|from|wer|lieferant|verkaufer|von wem|qui|fournisseur|vendeur)\b/u, seller],
  [
    /\b(?:account|iban|bank|konto|compte|banque)\b/u,
    ({ invoice }) => `It is to be paid to ${plain(invoice.payment.iban?.value ?? 'an account that it does not name')}.`,
  ],
  [
    /\b(?:what for|for what|items?|lines?|positions?|bought|wofur|posten|positionen|artikel|pour quoi|articles?|lignes?)\b/u,
    lines,
  ],
  [/\b(?:vat|tax|mwst|ust|umsatzsteuer|steuer|tva|taxes?)\b/u, tax],
  [
    /\b(?:why|reason|problem|errors?|findings?|wrong|warum|wieso|grund|fehler|problem|pourquoi|raison|erreurs?)\b/u,
    reasons,
  ],
  [
    /\b(?:order|po|bestellung|commande)\b/u,
    ({ invoice }) => `Its order is ${plain(invoice.purchaseOrder?.value ?? 'not named')}.`,
  ],
];

/** Answers a question about the payment from the read invoice; without a known topic, all that matters. */
export function answerQuestion(question: string, payment: PaymentCase): string {
  const text = folded(question);
  const answers = TOPICS.filter(([words]) => words.test(text)).map(([, answer]) => answer(payment));
  const chosen = answers.length > 0 ? answers : [amount(payment), seller(payment), lines(payment), reasons(payment)];
  return chosen.join('\n');
}

function amount({ invoice, amount: due }: PaymentCase): string {
  const { taxExclusive, tax } = invoice.totals;
  const money = moneyOf({ value: due, source: '', confidence: 1 }, invoice);
  const parts = taxExclusive === undefined || tax === undefined ? '' : ` (${taxExclusive.value} and ${tax.value} VAT)`;
  return `To be paid: ${money}${parts}.`;
}

function seller({ invoice: { seller: from } }: PaymentCase): string {
  const vatId = from.vatId === undefined ? '' : `, ${plain(from.vatId.value)}`;
  const city = from.city === undefined ? '' : `, ${plain(from.city.value)}`;
  return `It comes from ${plain(from.name?.value ?? 'a seller that it does not name')}${city}${vatId}.`;
}

function lines({ invoice }: PaymentCase): string {
  const shown = invoice.lines
    .slice(0, 10)
    .map(({ name, netAmount }) => `- ${plain(name ?? 'Item')}: ${netAmount ?? '?'}`);
  const more = invoice.lines.length > shown.length ? [`- and ${String(invoice.lines.length - shown.length)} more`] : [];
  return shown.length === 0 ? 'Its items are not known.' : ['It is for:', ...shown, ...more].join('\n');
}

function tax({ invoice: { taxes, totals } }: PaymentCase): string {
  const rates = taxes.map(({ rate, taxAmount }) => `${rate ?? '?'} %: ${taxAmount ?? '?'}`);
  return `VAT: ${totals.tax?.value ?? 'not known'}${rates.length === 0 ? '' : ` (${rates.join(', ')})`}.`;
}

function reasons({ reasons: all }: PaymentCase): string {
  return ['You are asked because:', ...all.map((reason) => `- ${plain(reason)}`)].join('\n');
}
