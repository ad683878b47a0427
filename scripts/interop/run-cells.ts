import type { CellGround, InteropCell } from '../../test/interop/cells.js';
import type { InteropDriver, SdkDriver } from '../../test/interop/driver.js';
import { deadline } from './deadline.js';
import type { Outcome, Row } from './report.js';

const CELL_MS = 60_000;

/** Runs cells with a client that has the needed operations one after the other, and prints how many have passed. */
export async function runCells(
  row: Omit<Row, 'outcomes'>,
  cells: readonly InteropCell[],
  driver: SdkDriver,
  ground: CellGround,
): Promise<Row> {
  const outcomes = new Map<string, Outcome>();
  for (const { name, run, isGuarded = false } of cells) {
    if (isGuarded && ground.guarded === undefined) continue;
    outcomes.set(name, await outcomeOf(() => run(driver as InteropDriver, ground)));
  }
  const failed = [...outcomes.values()].filter((outcome) => outcome?.failure !== undefined).length;
  const what = [row.client, row.speaks, row.binding, row.by].filter((word) => word !== undefined).join(', ');
  console.log(`${what}: ${String(outcomes.size - failed)} of ${String(outcomes.size)} cells passed`);
  return { ...row, outcomes };
}

async function outcomeOf(cell: () => Promise<void>): Promise<Outcome> {
  try {
    await deadline(cell(), CELL_MS, 'The cell was not over');
    return {};
  } catch (error) {
    return { failure: String(error).replaceAll('\n', ' ').slice(0, 300) };
  }
}
