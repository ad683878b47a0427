import type { Random } from './random.js';

/** What the command line asks for. */
export interface ScenarioOptions {
  readonly tasks: number;
  readonly random: Random;
  /** Lines for whoever watches. */
  readonly say: (line: string) => void;
  /** A whole number that a scenario can be told by `--set name=number`. */
  readonly number: (name: string, usual: number) => number;
}

export interface Outcome {
  readonly figures: Readonly<Record<string, unknown>>;
  /** Promises that were broken, in words; none when all were kept. */
  readonly broken: readonly string[];
}

export interface Scenario {
  readonly name: string;
  readonly what: string;
  readonly usualTasks: number;
  run(options: ScenarioOptions): Promise<Outcome>;
}

/** The words for every figure that is not what it must be. */
export function unless(promises: Readonly<Record<string, boolean>>): readonly string[] {
  return Object.entries(promises).flatMap(([text, isKept]) => (isKept ? [] : [text]));
}
