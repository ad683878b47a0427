// npm run docs -- plots: the plot of docs/reliability.md, from the lines of JSON that `npm run chaos` writes.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { barsSvg, type Plot } from './bars.js';

const { values: options } = parseArgs({
  options: {
    chaos: { type: 'string', default: 'docs/figures/chaos.jsonl' },
    out: { type: 'string', default: 'docs/images/figures' },
  },
});

interface ChaosLine {
  readonly scenario: string;
  readonly tasks: number;
  readonly broken: readonly string[];
  readonly late: readonly string[];
}

await mkdir(options.out, { recursive: true });
const lines = (await readFile(options.chaos, 'utf8')).split('\n').filter((line) => line.startsWith('{'));
await write('chaos', chaosPlot(lines.map((line) => JSON.parse(line) as ChaosLine)));

/** Tasks of each scenario, and the broken promises. */
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

async function write(name: string, plot: Plot): Promise<void> {
  const file = join(options.out, `${name}.svg`);
  await writeFile(file, barsSvg(plot));
  console.log(file);
}
