import { CURRENCY_CODES, CURRENCY_SIGNS } from './currency-signs.js';
import type { Found } from '../invoice.js';
import type { Line } from './layout.js';

const NEAR_AMOUNT = new RegExp(
  String.raw`(?:(${CURRENCY_CODES}|US\$|Fr\.|[€$£¥])\s?-?\d)|(?:\d\s?(${CURRENCY_CODES}|[€$£¥]|zł)(?![A-Za-z]))`,
  'gu',
);
const ALONE = new RegExp(String.raw`(?<![A-Za-z])(${CURRENCY_CODES}|[€£])(?![A-Za-z])`, 'gu');

/** The currency beside most amounts, otherwise the one named most often. */
export function findCurrency(lines: readonly Line[]): Found | undefined {
  const texts = lines.flatMap(({ cells }) => cells).map(({ text }) => text);
  return most(texts, NEAR_AMOUNT, 0.95) ?? most(texts, ALONE, 0.8);
}

function most(texts: readonly string[], pattern: RegExp, confidence: number): Found | undefined {
  const counts = new Map<string, { count: number; printed: string }>();
  for (const text of texts) {
    for (const match of text.matchAll(pattern)) {
      const printed = match[1] ?? match[2] ?? '';
      const code = CURRENCY_SIGNS[printed] ?? printed;
      counts.set(code, { count: (counts.get(code)?.count ?? 0) + 1, printed });
    }
  }
  const [first] = [...counts].toSorted(([, a], [, b]) => b.count - a.count);
  if (first === undefined) return undefined;
  const [value, { count, printed }] = first;
  return { value, source: `"${printed}" beside ${String(count)} amounts`, confidence };
}
