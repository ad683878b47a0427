import { readFileSync } from 'node:fs';

/** One row of the checklist: an id, its demand, and why no test guards it where none does. */
export interface Requirement {
  readonly id: string;
  /** One sentence in our own words. */
  readonly rule: string;
  /** The section of the specification, proto, SDK or article that the rule comes from. */
  readonly source: string;
  /** Why the rule does not apply here. Absent where a test guards it, or where it is not built. */
  readonly exempt?: string;
  /** The missing part, or true where it is everything. Absent where a test guards the rule, or where it does not apply. */
  readonly notBuilt?: string | true;
}

/** A heading of the generated section and its rows, in their order. */
export interface RequirementGroup {
  readonly title: string;
  readonly requirements: readonly Requirement[];
}

type Row = Omit<Requirement, 'id'>;

/** Reads the checklist. Throws an `Error` that names the row when one lacks its rule or source, or occurs twice. */
export function readRequirements(file: URL): readonly RequirementGroup[] {
  const groups = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Record<string, Row>>;
  const seen = new Set<string>();
  return Object.entries(groups).map(([title, rows]) => ({
    title,
    requirements: Object.entries(rows).map(([id, row]) => {
      if (!isRow(row) || seen.has(id)) throw new Error(`Row ${id} of the checklist is incomplete or occurs twice.`);
      seen.add(id);
      return { ...row, id };
    }),
  }));
}

/** The part of an id that it shares with its neighbours: `A2A-SEND` of `A2A-SEND-14`. */
export function familyOf(id: string): string {
  return id.replace(/-[^-]+$/, '');
}

function isRow(row: Row): boolean {
  const notBuilt = row.notBuilt === true ? 'all' : row.notBuilt;
  const texts = [row.rule, row.source, row.exempt ?? 'tested', notBuilt ?? 'tested'];
  return texts.every((text) => typeof text === 'string' && text !== '');
}
