import { parseArgs } from 'node:util';
import type { Scenario } from './scenario.js';
import { SCENARIOS, TABLE } from './scenarios.js';

/** The arguments are invalid; the message is for the user. */
export class UsageError extends Error {}

export interface Wish {
  readonly scenarios: readonly Scenario[];
  /** Whether this is the table of docs/reliability.md, at its sizes. */
  readonly isTable: boolean;
  readonly tasks?: number;
  readonly seed?: number;
  readonly settings: Readonly<Record<string, number>>;
}

/** Reads the arguments; undefined when help is wanted. Throws `UsageError`. */
export function readWish(args: readonly string[]): Wish | undefined {
  const { scenario, all, tasks, seed, set, help } = parse(args);
  if (help) return undefined;
  const isTable = all || scenario.includes('all');
  const scenarios = isTable ? TABLE : [...new Set(scenario)].map(scenarioOf);
  if (scenarios.length === 0) throw new UsageError('Name a scenario: --scenario <name>, or --all.');
  if (tasks !== undefined && isTable) throw new UsageError('--all has fixed sizes: leave --tasks out.');
  const unsized = scenarios.find((it) => it.tasks === undefined);
  if (tasks !== undefined && unsized !== undefined) {
    throw new UsageError(`The size of ${unsized.name} is a duration, not a number of tasks: leave --tasks out.`);
  }
  return {
    ...{ scenarios, isTable, settings: Object.fromEntries(set.map((text) => settingOf(text, scenarios))) },
    ...(tasks === undefined ? {} : { tasks: numberOf('--tasks', tasks, 1) }),
    ...(seed === undefined ? {} : { seed: numberOf('--seed', seed, 0) }),
  };
}

/** The text of --help. */
export function usage(): string {
  return `Tests that tasks survive failures: starts Redis and the processes of the service on this machine, kills some of
them under load, and compares all responses, stream events and webhook deliveries with the stored data.

  npm run chaos -- --scenario <name> [--tasks <number>] [--seed <number>] [--set <setting>=<number>]…
  npm run chaos -- --all              the whole table of docs/reliability.md at full size: half an hour to an hour

Scenarios, each with its number of tasks (default, full size) and the settings that --set changes:

${SCENARIOS.map(describe).join('\n\n')}

Each run prints one line of JSON. "broken" lists violated guarantees, "late" missed time limits, which a busy
machine can cause; either ends the command with status 1. --seed repeats the random choices of a run: kills, pauses and
cancels. docs/reliability.md explains the figures.`;
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        scenario: { type: 'string', multiple: true, default: [] },
        all: { type: 'boolean', default: false },
        tasks: { type: 'string' },
        seed: { type: 'string' },
        set: { type: 'string', multiple: true, default: [] },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function scenarioOf(name: string): Scenario {
  const found = SCENARIOS.find((scenario) => scenario.name === name);
  if (found !== undefined) return found;
  throw new UsageError(
    `There is no scenario "${name}". There are: ${SCENARIOS.map((scenario) => scenario.name).join(', ')}.`,
  );
}

function settingOf(text: string, scenarios: readonly Scenario[]): readonly [string, number] {
  const [name = '', value = ''] = text.split('=');
  const known = scenarios.flatMap(({ settings }) => Object.keys(settings));
  if (!known.includes(name)) {
    const choice = known.length === 0 ? 'There are none.' : `There are: ${[...new Set(known)].join(', ')}.`;
    throw new UsageError(`There is no setting "${name}". ${choice}`);
  }
  return [name, numberOf(`--set ${name}`, value, 0)];
}

function numberOf(what: string, text: string, least: number): number {
  if (!/^\d{1,10}$/.test(text) || Number(text) < least) {
    throw new UsageError(`${what} must be a whole number of at least ${least}, not "${text}".`);
  }
  return Number(text);
}

function describe({ name, what, tasks, settings }: Scenario): string {
  const size = tasks === undefined ? [] : [`tasks ${tasks.usual}, ${tasks.full}`];
  const usual = Object.entries(settings).map(([setting, value]) => `${setting}=${value}`);
  return `  ${name.padEnd(17)}${what}\n${' '.repeat(19)}${[...size, ...usual].join('  ')}`;
}
