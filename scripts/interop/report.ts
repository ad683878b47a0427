import { INTEROP_CELLS } from '../../test/interop/cells.js';

/** A cell that fails through a fault of the other side. */
export interface KnownFault {
  readonly client: string;
  /** All bindings when absent. */
  readonly binding?: string;
  readonly cells: readonly string[];
  /** What is wrong there. */
  readonly why: string;
  /** Where that is reported, as `owner/repository#number`, or `none found`. A fault that drafts of 1.0 explain names the change. */
  readonly issue: string;
}

/** What came of one cell; undefined where the client has no such operation. */
export type Outcome = { readonly failure?: string } | undefined;

/** One client on one binding. */
export interface Row {
  readonly client: string;
  readonly speaks: string;
  readonly binding: string;
  readonly outcomes: ReadonlyMap<string, Outcome>;
}

/** The fault that explains a cell's failure. */
export function faultOf(faults: readonly KnownFault[], { client, binding }: Row, cell: string): KnownFault | undefined {
  return faults.find(
    (fault) => fault.client === client && (fault.binding ?? binding) === binding && fault.cells.includes(cell),
  );
}

/** Failures that nobody has explained, and faults that are gone: both are to be looked into. */
export function surprises(rows: readonly Row[], faults: readonly KnownFault[]): readonly string[] {
  return rows.flatMap((row) =>
    [...row.outcomes].flatMap(([cell, outcome]) => {
      const known = faultOf(faults, row, cell) !== undefined;
      const where = `${row.client}, ${row.binding}, ${cell}`;
      if (outcome?.failure !== undefined) return known ? [] : [`FAILED ${where}: ${outcome.failure}`];
      return known && outcome !== undefined ? [`PASSED though it is a known fault: ${where}`] : [];
    }),
  );
}

/** The table in Markdown: a row for each client and binding, a column for each cell. */
export function markdownTable(rows: readonly Row[], faults: readonly KnownFault[]): string {
  const names = INTEROP_CELLS.map(({ name }) => name);
  const used = faults.filter((fault) => rows.some((row) => names.some((cell) => explains(fault, row, cell))));
  const mark = (row: Row, cell: string): string => {
    const outcome = row.outcomes.get(cell);
    if (outcome === undefined) return '';
    if (outcome.failure === undefined) return '✓';
    const fault = faultOf(faults, row, cell);
    return fault === undefined ? '**✗**' : `[${String(used.indexOf(fault) + 1)}]`;
  };
  const lines = [
    `| client | A2A | binding | ${names.join(' | ')} |`,
    `| --- | --- | --- | ${names.map(() => '---').join(' | ')} |`,
    ...rows.map((row) => {
      const marks = names.map((cell) => mark(row, cell));
      return `| ${row.client} | ${row.speaks} | ${row.binding} | ${marks.join(' | ')} |`;
    }),
  ];
  const reasons = used.map(({ client, why, issue }, at) => `[${String(at + 1)}] ${client}: ${why} (issue: ${issue})`);
  return [lines.join('\n'), countsOf(rows), ...reasons].join('\n\n');
}

function explains(fault: KnownFault, row: Row, cell: string): boolean {
  return row.outcomes.get(cell)?.failure !== undefined && faultOf([fault], row, cell) !== undefined;
}

function countsOf(rows: readonly Row[]): string {
  const outcomes = rows.flatMap((row) => [...row.outcomes.values()]).filter((outcome) => outcome !== undefined);
  const passed = outcomes.filter(({ failure }) => failure === undefined).length;
  return `${String(passed)} of ${String(outcomes.length)} cells passed. Empty: the client has no such operation.`;
}
