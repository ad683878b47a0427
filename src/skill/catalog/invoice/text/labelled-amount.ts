import { folded } from './folded.js';
import { cellBelow } from './labelled-value.js';
import type { Cell, Line } from './layout.js';
import { printedAmount, trailingAmount } from './printed-number.js';
import type { DecimalMark } from './printed-number.js';
import { totalKindOf } from './total-labels.js';

/** A line of sums: what it says and the amounts behind it, from left to right. */
export interface LabelledAmount {
  /** As printed. */
  readonly label: string;
  readonly folded: string;
  readonly amounts: readonly string[];
  readonly page: number;
  readonly line: Line;
}

/** All amounts with the words before them on their line, or above them when those announce a sum. */
export function labelledAmounts(lines: readonly Line[], mark: DecimalMark): readonly LabelledAmount[] {
  return lines.flatMap((line, at) => {
    const beside = [...onLine(line, mark)];
    return beside.some(isSum) ? beside : [...beside, ...stacked(lines, at, mark)];
  });
}

/** `Total | 12.00`, `Total: 12.00`, and two such pairs side by side. */
function* onLine(line: Line, mark: DecimalMark): Generator<LabelledAmount> {
  let words: string[] = [];
  let amounts: string[] = [];
  for (const cell of line.cells) {
    const amount = printedAmount(cell.text, mark);
    if (amount !== undefined) {
      amounts.push(amount);
      continue;
    }
    if (amounts.length > 0 && words.length > 0) yield entry(labelOf(words), amounts, line);
    const inside = trailingAmount(cell.text, mark);
    words = [...(amounts.length > 0 ? [] : words), inside?.label ?? cell.text];
    amounts = inside === undefined ? [] : [inside.amount];
  }
  if (amounts.length > 0 && words.length > 0) yield entry(labelOf(words), amounts, line);
}

/** The cell next to the amount when it names a sum by itself, else all that stands before it. */
function labelOf(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return totalKindOf(folded(last)) === undefined ? words.join(' ') : last;
}

/** Amounts under a row of labels. */
function stacked(lines: readonly Line[], at: number, mark: DecimalMark): readonly LabelledAmount[] {
  const line = lines[at];
  if (line === undefined) return [];
  return line.cells.flatMap((cell) => {
    const amount = printedAmount(cell.text, mark);
    const above = amount === undefined ? undefined : labelAbove(lines, at, cell);
    const sum = amount === undefined || above === undefined ? undefined : entry(above.text, [amount], line);
    return sum !== undefined && isSum(sum) ? [sum] : [];
  });
}

function isSum(entry: LabelledAmount): boolean {
  return totalKindOf(entry.folded) !== undefined;
}

function labelAbove(lines: readonly Line[], at: number, cell: Cell): Cell | undefined {
  for (let index = at - 1; index >= Math.max(0, at - 4); index -= 1) {
    const label = lines[index]?.cells.find((each) => cellBelow(lines, index, each) === cell);
    if (label !== undefined) return label;
  }
  return undefined;
}

function entry(label: string, amounts: readonly string[], line: Line): LabelledAmount {
  return { label, folded: folded(label), amounts, page: line.page, line };
}
