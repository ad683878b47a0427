import type { InteropCell } from '../../test/interop/cells.js';
import type { GuardedAgent, InteropDriver } from '../../test/interop/driver.js';
import type { WebhookReceiver } from '../../test/interop/webhook-receiver.js';
import { deadline } from './deadline.js';
import type { Outcome, Row } from './report.js';

const CELL_MS = 60_000;

/** What cells are run with. */
export interface CellGround {
  /** A client that has what the cells need. */
  readonly driver: InteropDriver;
  readonly receiver: WebhookReceiver;
  /** Absent: cells about credentials are left out. */
  readonly guarded?: GuardedAgent | undefined;
}

/** Runs cells one after the other, and prints how many have passed. */
export async function runCells(
  row: Omit<Row, 'outcomes'>,
  cells: readonly InteropCell[],
  { driver, receiver, guarded }: CellGround,
): Promise<Row> {
  const outcomes = new Map<string, Outcome>();
  for (const { name, run, isGuarded = false } of cells) {
    if (isGuarded && guarded === undefined) continue;
    outcomes.set(name, await outcomeOf(() => run(driver, receiver, guarded)));
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
