import type { Lab } from './system/lab.js';
import type { SystemName } from './system/system.js';

/** Measurements of one system in one case: a value per round. */
export interface Measure {
  readonly case: string;
  /** With its unit. */
  readonly figure: string;
  readonly system: SystemName;
  readonly values: readonly number[];
}

/** Goal of a figure, as a share of another system's or by itself. */
export interface Goal {
  readonly case: string;
  readonly figure: string;
  readonly system: SystemName;
  /** Compared with this system's same figure; absent: the figure by itself counts. */
  readonly against?: SystemName;
  readonly atLeast?: number;
  readonly atMost?: number;
}

export interface BenchCase {
  /** As `--case` knows it. */
  readonly name: string;
  readonly what: string;
  readonly goals: readonly Goal[];
  /** Takes too long for a run of all cases. */
  readonly onlyByName?: true;
  run(lab: Lab): Promise<readonly Measure[]>;
}
