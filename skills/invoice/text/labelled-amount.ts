import { folded } from './folded.js';
import { cellBelow } from './labelled-value.js';
import type { Cell, Line } from './layout.js';
import { printedAmount, trailingAmount } from './printed-number.js';
import type { DecimalMark } from './printed-number.js';
import { totalKindOf } from './total-labels.js';

/** A line of sums: its label and the amounts behind it, from left to right. */
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
  const labels = labelsAbove(lines);
  return lines.flatMap((line) => {
    const beside = [...onLine(line, mark)];
    return beside.some(isSum) ? beside : [...beside, ...stacked(line, labels, mark)];
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

/** The cell next to the amount when it names a sum by itself, otherwise everything before it. */
function labelOf(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return totalKindOf(folded(last)) === undefined ? words.join(' ') : last;
}

/** Amounts under a row of labels. */
function stacked(line: Line, labels: ReadonlyMap<Cell, Cell>, mark: DecimalMark): readonly LabelledAmount[] {
  return line.cells.flatMap((cell) => {
    const amount = printedAmount(cell.text, mark);
    const above = labels.get(cell);
    const sum = amount === undefined || above === undefined ? undefined : entry(above.text, [amount], line);
    return sum !== undefined && isSum(sum) ? [sum] : [];
  });
}

function isSum(entry: LabelledAmount): boolean {
  return totalKindOf(entry.folded) !== undefined;
}

/** The cell above each cell that has one: the nearest line's, and the leftmost of that. */
function labelsAbove(lines: readonly Line[]): ReadonlyMap<Cell, Cell> {
  const labels = new Map<Cell, Cell>();
  for (const [at, line] of lines.entries()) {
    for (const label of line.cells.toReversed()) {
      const below = cellBelow(lines, at, label);
      if (below !== undefined) labels.set(below, label);
    }
  }
  return labels;
}

function entry(label: string, amounts: readonly string[], line: Line): LabelledAmount {
  return { label, folded: folded(label), amounts, page: line.page, line };
}
