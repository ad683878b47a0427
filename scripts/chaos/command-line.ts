import { parseArgs } from 'node:util';
import type { Scenario } from './scenario.js';
import { SCENARIOS, TABLE } from './scenarios.js';

/** What was asked for cannot be done; the message says why, for whoever typed it. */
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
  if (tasks !== undefined && isTable) throw new UsageError('--all has its own sizes: leave --tasks out.');
  const unsized = scenarios.find((it) => it.tasks === undefined);
  if (tasks !== undefined && unsized !== undefined) {
    throw new UsageError(`The length of ${unsized.name} is a time, not a number of tasks: leave --tasks out.`);
  }
  return {
    ...{ scenarios, isTable, settings: Object.fromEntries(set.map((text) => settingOf(text, scenarios))) },
    ...(tasks === undefined ? {} : { tasks: numberOf('--tasks', tasks, 1) }),
    ...(seed === undefined ? {} : { seed: numberOf('--seed', seed, 0) }),
  };
}

/** What there is, for whoever asks or has mistyped. */
export function usage(): string {
  return `Proves that tasks survive: starts a Redis and the service's own processes on this machine, kills some of
them while callers work, and compares what callers, readers and webhooks were told with what is stored.

  npm run chaos -- --scenario <name> [--tasks <number>] [--seed <number>] [--set <setting>=<number>]…
  npm run chaos -- --all              the whole table of docs/reliability.md at full size: half an hour to an hour

Scenarios, each with its tasks (usual, full size) and what --set can change:

${SCENARIOS.map(describe).join('\n\n')}

Each run prints one line of JSON. "broken" lists the promises that did not hold, "late" the times that were missed,
which a busy machine may do; either ends the command with status 1. --seed repeats a run's choices: its kills, pauses
and cancels. How to read the figures is in docs/reliability.md.`;
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
    throw new UsageError(`${what} must be a whole number from ${least} on, not "${text}".`);
  }
  return Number(text);
}

function describe({ name, what, tasks, settings }: Scenario): string {
  const size = tasks === undefined ? [] : [`tasks ${tasks.usual}, ${tasks.full}`];
  const usual = Object.entries(settings).map(([setting, value]) => `${setting}=${value}`);
  return `  ${name.padEnd(17)}${what}\n${' '.repeat(19)}${[...size, ...usual].join('  ')}`;
}
