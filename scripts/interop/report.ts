import { INTEROP_CELLS } from '../../test/interop/cells.js';
import { TURN_CELLS } from '../../test/interop/turn-cells.js';

/** A cell that fails through a fault of the other side. */
export interface KnownFault {
  /** The official client, or the official server. */
  readonly client: string;
  /** All versions when absent. */
  readonly speaks?: string;
  /** All bindings when absent. */
  readonly binding?: string;
  /** All callers of a server when absent. */
  readonly by?: Caller;
  readonly cells: readonly string[];
  /** Fault found there. */
  readonly why: string;
  /** Where that is reported, as `owner/repository#number`, or `none found`. A fault that drafts of 1.0 explain names the change. */
  readonly issue: string;
}

/** Caller of ours at an official server: the client, the command, or a service that mirrors its tasks. */
export type Caller = 'client' | 'parley' | 'mirror';

/** Outcome of one cell; undefined where the client has no such operation. */
export type Outcome = { readonly failure?: string } | undefined;

/** One official client, or one caller of an official server, on one binding. */
export interface Row {
  readonly client: string;
  readonly speaks: string;
  readonly binding: string;
  /** Of a server. */
  readonly by?: Caller;
  readonly outcomes: ReadonlyMap<string, Outcome>;
}

/** The fault that explains a cell's failure. */
export function faultOf(faults: readonly KnownFault[], row: Row, cell: string): KnownFault | undefined {
  return faults.find(
    ({ client, speaks = row.speaks, binding = row.binding, by = row.by, cells }) =>
      client === row.client &&
      speaks === row.speaks &&
      binding === row.binding &&
      by === row.by &&
      cells.includes(cell),
  );
}

/** Unexplained failures, and faults that are gone: both need an investigation. */
export function surprises(rows: readonly Row[], faults: readonly KnownFault[]): readonly string[] {
  return rows.flatMap((row) =>
    [...row.outcomes].flatMap(([cell, outcome]) => {
      const known = faultOf(faults, row, cell) !== undefined;
      const by = row.by === undefined ? '' : ` ${row.speaks}, by ${row.by}`;
      const where = `${row.client}, ${row.binding}${by}, ${cell}`;
      if (outcome?.failure !== undefined) return known ? [] : [`FAILED ${where}: ${outcome.failure}`];
      return known && outcome !== undefined ? [`PASSED though it is a known fault: ${where}`] : [];
    }),
  );
}

/** The table in Markdown: a row for each client or server and binding, a column for each cell that was run. */
export function markdownTable(rows: readonly Row[], faults: readonly KnownFault[]): string {
  const isOfServers = rows.some(({ by }) => by !== undefined);
  const cells = [...INTEROP_CELLS, ...TURN_CELLS].map(({ name }) => name);
  const names = cells.filter((cell) => rows.some(({ outcomes }) => outcomes.get(cell) !== undefined));
  const used = faults.filter((fault) => rows.some((row) => names.some((cell) => explains(fault, row, cell))));
  const mark = (row: Row, cell: string): string => {
    const outcome = row.outcomes.get(cell);
    if (outcome === undefined) return '';
    if (outcome.failure === undefined) return '✓';
    const fault = faultOf(faults, row, cell);
    return fault === undefined ? '**✗**' : `[${String(used.indexOf(fault) + 1)}]`;
  };
  const heads = [isOfServers ? 'server' : 'client', 'A2A', 'binding', ...(isOfServers ? ['called by'] : []), ...names];
  const lines = [
    heads,
    heads.map(() => '---'),
    ...rows.map((row) => {
      const by = row.by === undefined ? [] : [row.by];
      return [row.client, row.speaks, row.binding, ...by, ...names.map((cell) => mark(row, cell))];
    }),
  ].map((columns) => `| ${columns.join(' | ')} |`);
  const reasons = used.map(({ client, why, issue }, at) => `[${String(at + 1)}] ${client}: ${why} (issue: ${issue})`);
  return [lines.join('\n'), countsOf(rows), ...reasons].join('\n\n');
}

function explains(fault: KnownFault, row: Row, cell: string): boolean {
  return row.outcomes.get(cell)?.failure !== undefined && faultOf([fault], row, cell) !== undefined;
}

function countsOf(rows: readonly Row[]): string {
  const outcomes = rows.flatMap((row) => [...row.outcomes.values()]).filter((outcome) => outcome !== undefined);
  const passed = outcomes.filter(({ failure }) => failure === undefined).length;
  return `${String(passed)} of ${String(outcomes.length)} cells passed. Empty: there is no such operation, or the cell is not run there.`;
}
