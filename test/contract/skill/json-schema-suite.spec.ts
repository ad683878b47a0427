import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
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

/** Keywords that are not judged, as they ask which members all other keywords have judged. Their groups are not compared. */
const NOT_JUDGED = /"unevaluated(Items|Properties)"/;

/** Groups that are judged otherwise, and why. */
const OTHERWISE: Readonly<Record<string, string>> = {
  'ref: ref overrides any sibling keywords':
    'draft-04 to -07: what is beside a `$ref` counts as it does since 2019-09, as authors of older schemas expect by now',
  'vocabulary: schema that uses custom metaschema with with no validation vocabulary':
    'the vocabulary of a schema is in another document: all keywords are judged',
};

interface Outcome {
  /** Groups in which a value is accepted that should not be, or the other way round. */
  readonly wrong: readonly string[];
  /** Groups whose schema is not judged, by the reason. */
  readonly unjudged: Readonly<Record<string, number>>;
  readonly judged: number;
}

function outcomeOf(draft: string): Outcome {
  const wrong = new Set<string>();
  const unjudged: Record<string, number> = {};
  let judged = 0;
  for (const [file, groups] of Object.entries(suiteOf(draft))) {
    for (const { description, schema, tests } of groups) {
      for (const { data, valid } of tests) {
        try {
          judged += 1;
          if ((faultsOfValue(schema, data).length === 0) !== valid) wrong.add(`${file}: ${description}`);
        } catch (error) {
          if (!(error instanceof SchemaTooHard)) throw error;
          judged -= 1;
          unjudged[error.reason] = (unjudged[error.reason] ?? 0) + 1;
        }
      }
      if (NOT_JUDGED.test(JSON.stringify(schema))) wrong.delete(`${file}: ${description}`);
    }
  }
  return { wrong: [...wrong].filter((group) => OTHERWISE[group] === undefined), unjudged, judged };
}

describe('the official tests of JSON Schema', () => {
  it.each([
    ['draft4', 580],
    ['draft6', 780],
    ['draft7', 860],
    ['draft2019-09', 1_100],
    ['draft2020-12', 1_100],
  ])('of %s are passed, but for those that are left to the other service by name (B5)', (draft, least) => {
    const { wrong, unjudged, judged } = outcomeOf(draft);
    expect(wrong).toEqual([]);
    expect(Object.keys(unjudged).filter((reason) => REASONS[reason] === undefined)).toEqual([]);
    expect(judged).toBeGreaterThan(least);
  });
});
