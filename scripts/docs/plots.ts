// npm run docs -- plots: the plots of docs/performance.md and docs/reliability.md, from the JSON that `npm run bench` and
// `npm run chaos` write. Whatever of the two files is not there is left as it is.
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { barsSvg, type Group, type Plot } from './bars.js';

const { values: options } = parseArgs({
  options: {
    bench: { type: 'string', default: 'docs/figures/bench.json' },
    chaos: { type: 'string', default: 'docs/figures/chaos.jsonl' },
    out: { type: 'string', default: 'docs/images/figures' },
  },
});

interface BenchFile {
  readonly conditions: string;
  readonly measures: readonly {
    readonly case: string;
    readonly figure: string;
    readonly system: string;
    readonly values: readonly number[];
  }[];
}

interface ChaosLine {
  readonly scenario: string;
  readonly tasks: number;
  readonly broken: readonly string[];
  readonly late: readonly string[];
}

const NAMES: Readonly<Record<string, string>> = {
  parley: 'Parley',
  'parley-apart': 'Parley, roles apart',
  'parley-guarded': 'Parley, guarded',
  'sdk-memory': 'SDK, memory',
  'sdk-redis': 'SDK, Redis',
};

await mkdir(options.out, { recursive: true });
if (existsSync(options.bench)) {
  const file = JSON.parse(await readFile(options.bench, 'utf8')) as BenchFile;
  await write('requests', plotOf(file, 'requests/s', 'Requests a second: more is better'));
  await write(
    'processor-time',
    plotOf(file, 'processor time per request, µs', 'Processor time of a request, µs: less is better'),
  );
}
if (existsSync(options.chaos)) {
  const lines = (await readFile(options.chaos, 'utf8')).split('\n').filter((line) => line.startsWith('{'));
  await write('chaos', chaosPlot(lines.map((line) => JSON.parse(line) as ChaosLine)));
}

function plotOf({ conditions, measures }: BenchFile, figure: string, title: string): Plot {
  const wanted = measures.filter((measure) => measure.figure === figure && measure.system !== 'floor');
  const groups = [...new Set(wanted.map((measure) => measure.case))].map((name): Group => {
    const bars = wanted
      .filter((measure) => measure.case === name)
      .map(({ system, values }) => {
        const value = median(values);
        return { name: NAMES[system] ?? system, value, text: Math.round(value).toLocaleString('en') };
      });
    return { title: name, bars };
  });
  return { title, note: conditions.replaceAll('`', ''), groups };
}

/** Tasks of each scenario, and what was broken of them. */
function chaosPlot(lines: readonly ChaosLine[]): Plot {
  const bars = lines.map(({ scenario, tasks, broken, late }) => ({
    name: scenario,
    // From ten to ten thousand: a logarithm shows all of them.
    value: Math.log10(Math.max(1, tasks)) + 0.1,
    text: `${tasks.toLocaleString('en')} tasks, ${String(broken.length)} guarantees broken${late.length === 0 ? '' : `, ${String(late.length)} limits missed`}`,
  }));
  const note = 'npm run chaos; the length is the logarithm of the number of tasks';
  return { title: 'What was left of the guarantees after crashes', note, groups: [{ title: 'Scenarios', bars }] };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

async function write(name: string, plot: Plot): Promise<void> {
  const file = join(options.out, `${name}.svg`);
  await writeFile(file, barsSvg(plot));
  console.log(file);
}
