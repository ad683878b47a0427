import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { complianceReport } from '../../scripts/cli-compliance/report.js';
import { packageVersion } from '../../src/platform/config/package-version.js';

const REPORT = new URL('../../docs/cli-compliance.yaml', import.meta.url);

interface Report {
  readonly requirements: Readonly<Record<string, { readonly status: string; readonly note: string | null }>>;
}

it('the report of the command line is up to date (npm run conformance -- cli), and explains whatever is no pass', () => {
  const written = readFileSync(REPORT, 'utf8');
  expect(written).toBe(complianceReport(packageVersion()));
  const { requirements } = parse(written) as Report;
  expect(Object.keys(requirements)).toHaveLength(66);
  const unexplained = Object.entries(requirements).filter(([, { status, note }]) => status !== 'pass' && note === null);
  expect(unexplained).toEqual([]);
});
