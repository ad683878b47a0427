import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { newBudget } from '@parley/sdk/skill/schema/budget.js';
import { faultsOfValue, SchemaTooHard } from '@parley/sdk/skill/schema/check-value.js';

interface Group {
  readonly description: string;
  readonly schema: unknown;
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[];
}

/** The required tests of a draft, by the file that they are from. */
function suiteOf(draft: string): Readonly<Record<string, readonly Group[]>> {
  const folder = join(import.meta.dirname, '../../fixtures/json-schema-suite');
  const text = gunzipSync(readFileSync(join(folder, `${draft}.json.gz`))).toString();
  return JSON.parse(text) as Readonly<Record<string, readonly Group[]>>;
}

/** What a judgement of ours leaves to the service that a schema is of, and why. */
const REASONS: Readonly<Record<string, string>> = {
  'it refers to another document': 'no address is followed, and a document of several documents is not taken apart',
  'it has another document in it': 'a reference below an `$id` counts from there',
};

/** Groups that are judged otherwise, and why. */
const OTHERWISE: Readonly<Record<string, string>> = {
  'ref: ref overrides any sibling keywords':
    'draft-04 to -07: what is beside a `$ref` counts as it does since 2019-09, as authors of older schemas expect by now',
  'vocabulary: schema that uses custom metaschema with with no validation vocabulary':
    'the vocabulary of a schema is in another document: all keywords are judged',
};

interface Judged {
  readonly group: string;
  /** Whether the value is judged as the suite says; the reason why it is not judged at all. */
  readonly outcome: boolean | string;
}

function judgementsOf(draft: string): readonly Judged[] {
  return Object.entries(suiteOf(draft)).flatMap(([file, groups]) =>
    groups.flatMap(({ description, schema, tests }) =>
      tests.map(({ data, valid }) => ({
        group: `${file}: ${description}`,
        outcome: outcomeOf(schema, data, valid),
      })),
    ),
  );
}

function outcomeOf(schema: unknown, data: unknown, valid: boolean): boolean | string {
  // The time of a check has tests of its own.
  const budget = { ...newBudget(), begun: performance.now() + 10_000 };
  try {
    return (faultsOfValue(schema, data, budget).length === 0) === valid;
  } catch (error) {
    if (!(error instanceof SchemaTooHard)) throw error;
    return error.reason;
  }
}

describe('the official tests of JSON Schema', () => {
  it.each([
    ['draft4', 580],
    ['draft6', 780],
    ['draft7', 860],
    ['draft2019-09', 1150],
    ['draft2020-12', 1180],
  ])('of %s are passed, but for those that are left to the other service by name (B5)', (draft, least) => {
    const judged = judgementsOf(draft);
    const wrong = judged.filter(({ group, outcome }) => outcome === false && OTHERWISE[group] === undefined);
    expect(wrong.map(({ group }) => group)).toEqual([]);
    const reasons = judged.flatMap(({ outcome }) => (typeof outcome === 'string' ? outcome : []));
    expect([...new Set(reasons)].filter((reason) => REASONS[reason] === undefined)).toEqual([]);
    expect(judged.length - reasons.length).toBeGreaterThan(least);
  });
});
