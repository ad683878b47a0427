import { Big } from 'big.js';
import { decimalOf, rounded } from '../decimal.js';
import { present } from '../invoice.js';
import type { InvoiceLine } from '../invoice.js';
import type { Line } from './layout.js';
import { printedAmount, printedQuantity } from './printed-number.js';
import type { DecimalMark } from './printed-number.js';
import { columnAt, columnsOf } from './table-columns.js';
import type { Column, ColumnPlace } from './table-columns.js';
import { totalKindOf } from './total-labels.js';

/** A line whose quantity times price is its amount, and one that is only in the right columns. */
const PROVEN = 0.93;
const ALONE = 0.75;

/** A text more than this many font heights under a line is not its continuation. */
const CONTINUATION = 2.2;

/** Further text under an item is not added to its name. */
const MAX_NAME = 2_000;

const CARRIED = /^(?:carried (?:forward|over)|brought forward|ubertrag|a reporter|report)/u;

interface Table {
  readonly items: readonly InvoiceLine[];
  /** Lines outside of a table of items: heads, sums, footers. */
  readonly rest: readonly Line[];
}

type Cells = Readonly<Partial<Record<Column, string>>>;

/** The items of the document's table, over all pages, and the lines outside of it. */
export function findLines(lines: readonly Line[], mark: DecimalMark): Table {
  const items: { line: InvoiceLine; at: Line }[] = [];
  const rest: Line[] = [];
  let columns: readonly ColumnPlace[] = [];
  for (const line of lines) {
    if (CARRIED.test(line.cells[0]?.folded ?? '')) continue;
    const heading = columnsOf(line);
    if (heading.length > 0) {
      columns = heading;
      continue;
    }
    const cells = columns.length === 0 ? {} : cellsOf(line, columns);
    const item = columns.length === 0 ? undefined : itemOf(cells, line, mark);
    const before = items.at(-1);
    if (item !== undefined && (item.confidence === PROVEN || !endsTable(line))) {
      items.push({ line: item, at: line });
    } else if (before !== undefined && columns.length > 0 && isContinuation(cells, line, before.at)) {
      items[items.length - 1] = { line: continued(before.line, cells.name ?? ''), at: line };
    } else {
      if (endsTable(line)) columns = [];
      rest.push(line);
    }
  }
  return { items: items.map(({ line }) => line), rest };
}

function continued(item: InvoiceLine, text: string): InvoiceLine {
  const name = item.name ?? '';
  return name.length > MAX_NAME ? item : { ...item, name: `${name} ${text}`.trim() };
}

function cellsOf(line: Line, columns: readonly ColumnPlace[]): Cells {
  const cells: Partial<Record<Column, string>> = {};
  for (const cell of line.cells) {
    const column = columnAt(columns, cell);
    if (column !== undefined) cells[column] = `${cells[column] ?? ''} ${cell.text}`.trim();
  }
  return cells;
}

/** A line that begins with the name of a sum, like `Subtotal` or `Zwischensumme`, closes the table. */
function endsTable({ cells }: Line): boolean {
  const [first] = cells;
  return first !== undefined && totalKindOf(first.folded) !== undefined;
}

function itemOf(cells: Cells, line: Line, mark: DecimalMark): InvoiceLine | undefined {
  const netAmount = printedAmount(cells.netAmount ?? '', mark);
  const name = cells.name ?? cells.id;
  if (netAmount === undefined || name === undefined) return undefined;
  const counted = printedQuantity(cells.quantity ?? '', mark);
  const unitPrice = printedAmount(cells.unitPrice ?? '', mark);
  const taxRate = printedAmount((cells.taxRate ?? '').replace('%', ''), mark);
  return {
    kind: 'detail',
    ...present({
      id: cells.name === undefined ? undefined : cells.id,
      name,
      quantity: counted?.quantity,
      unit: cells.unit ?? counted?.unit,
      unitPrice,
      netAmount,
      taxCategory: decimalOf(taxRate)?.gt(0) === true ? 'S' : undefined,
      taxRate,
    }),
    source: `page ${String(line.page)}, row "${name.slice(0, 60)}"`,
    confidence: isProven(counted?.quantity, unitPrice, netAmount) ? PROVEN : ALONE,
  };
}

function isProven(quantity: string | undefined, price: string | undefined, amount: string): boolean {
  const count = decimalOf(quantity);
  const each = decimalOf(price);
  return count !== undefined && each !== undefined && rounded(count.times(each)).eq(rounded(new Big(amount)));
}

function isContinuation(cells: Cells, line: Line, before: Line): boolean {
  const isOnlyName = cells.name !== undefined && Object.keys(cells).length === 1;
  return isOnlyName && line.page === before.page && line.y - before.y <= CONTINUATION * line.size;
}
