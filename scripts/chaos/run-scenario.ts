import { Random } from './load/random.js';
import type { Outcome, Scenario } from './scenario.js';

export interface RunOptions {
  readonly tasks?: number;
  /** Repeats the random decisions of the harness; a new one when absent. */
  readonly seed?: number;
  /** Instead of the scenario's own values. */
  readonly settings?: Readonly<Record<string, number>>;
}

/** Result of one scenario run, printed as one line. */
export interface Report extends Outcome {
  readonly scenario: string;
  readonly seed: number;
  readonly tasks: number;
  readonly ok: boolean;
}

/** Runs one scenario, and prints its seed on standard error first, so that even a run that hangs can be repeated. */
export async function runScenario(scenario: Scenario, options: RunOptions = {}): Promise<Report> {
  const { seed = Math.floor(Math.random() * 1e9), tasks = scenario.tasks?.usual ?? 0 } = options;
  const settings = { ...scenario.settings, ...options.settings };
  const say = (line: string): void => void process.stderr.write(`${scenario.name}: ${line}\n`);
  say(`seed ${seed}${scenario.tasks === undefined ? '' : `, ${tasks} tasks`}`);
  const outcome = await scenario
    .run({ tasks, random: new Random(seed), say, setting: (name) => valueOf(settings, name) })
    .catch(failed);
  return { scenario: scenario.name, seed, tasks, ok: isKept(outcome), ...outcome };
}

/** The report as one line of JSON: figures first, words last. */
export function lineOf({ figures, broken, late, ...run }: Report): string {
  const { summary: _summary, ...begin } = run;
  return JSON.stringify({ ...begin, ...figures, broken, late });
}

/** A scenario that could not be brought to its end has proven nothing. */
function failed(error: unknown): Outcome {
  const reason = error instanceof Error ? error.message : String(error);
  return { figures: {}, summary: 'did not come to its end', broken: [reason], late: [] };
}

function isKept({ broken, late }: Outcome): boolean {
  return broken.length === 0 && late.length === 0;
}

function valueOf(settings: Readonly<Record<string, number>>, name: string): number {
  const value = settings[name];
  if (value === undefined) throw new Error(`The scenario has no setting "${name}"`);
  return value;
}
