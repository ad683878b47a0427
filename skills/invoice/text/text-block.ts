import type { Cell, Line } from './layout.js';

/** Cells under each other with the same left edge: an address, a letterhead, a footer's column. */
export interface TextBlock {
  readonly page: number;
  readonly x: number;
  readonly y: number;
  readonly cells: readonly Cell[];
}

/** Lines of a block are at most this many font heights apart. */
const LEADING = 2;
/** Left edges of a block differ by at most this many points. */
const EDGE = 4;

/** The blocks of a document, from the top. */
export function blocksOf(lines: readonly Line[]): readonly TextBlock[] {
  const blocks: { page: number; x: number; y: number; cells: Cell[] }[] = [];
  for (const cell of lines.flatMap(({ cells }) => cells)) {
    const block = blocks.findLast((each) => continues(each.cells.at(-1), cell));
    if (block === undefined) blocks.push({ page: cell.page, x: cell.x, y: cell.y, cells: [cell] });
    else block.cells.push(cell);
  }
  return blocks;
}

function continues(last: Cell | undefined, cell: Cell): boolean {
  if (last?.page !== cell.page) return false;
  const distance = cell.y - last.y;
  return distance > 0 && distance <= LEADING * Math.max(last.size, cell.size) && Math.abs(last.x - cell.x) <= EDGE;
}
