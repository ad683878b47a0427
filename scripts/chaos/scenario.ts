import type { Random } from './load/random.js';

/** Parameters of a scenario. */
export interface ScenarioOptions {
  readonly tasks: number;
  readonly random: Random;
  /** Progress lines for the terminal. */
  readonly say: (line: string) => void;
  /** The value of one of the scenario's settings. */
  readonly setting: (name: string) => number;
}

export interface Outcome {
  readonly figures: Readonly<Record<string, unknown>>;
  /** The figures that count, in words. */
  readonly summary: string;
  /** Promises that were broken, in words; none when all were kept. */
  readonly broken: readonly string[];
  /** Times that were missed, in words: on a machine that is busy with something else they may be. */
  readonly late: readonly string[];
}

export interface Scenario {
  readonly name: string;
  readonly what: string;
  /** Number of tasks by default, and in the table of docs/reliability.md; absent if the size is a duration. */
  readonly tasks?: { readonly usual: number; readonly full: number };
  /** Settings of `--set`, with the values of the table. */
  readonly settings: Readonly<Record<string, number>>;
  run(options: ScenarioOptions): Promise<Outcome>;
}

/** The words for every figure outside of its bound. */
export function unless(promises: Readonly<Record<string, boolean>>): readonly string[] {
  return Object.entries(promises).flatMap(([text, isKept]) => (isKept ? [] : [text]));
}
