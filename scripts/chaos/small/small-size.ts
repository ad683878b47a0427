import { expect } from '@jest/globals';
import { type Report, type RunOptions, runScenario } from '../run-scenario.js';
import type { Scenario } from '../scenario.js';

/** A scenario at a small size: two fleets one after the other at most. */
export const TIMEOUT_MS = 300_000;

/** The report of one run, all of whose promises were kept. Times are no matter here: other tests run beside it. */
export async function reportOf(scenario: Scenario, options: RunOptions): Promise<Report> {
  const report = await runScenario(scenario, options);
  expect(report).toMatchObject({ broken: [] });
  return report;
}
