// npm run console:figures [-- <name>…]: the figures of docs/console.md, each measured with a service of its own.
// Their goals are for two processors that do nothing else. Results are written to .cache/console-figures.json too.
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { events, firstLoad, rows } from './figures/browser-cases.mjs';
import { approvals, consoles, feed, send } from './figures/load-cases.mjs';

const CASES = { 'first-load': firstLoad, rows, events, feed, consoles, send, approvals };

const { positionals } = parseArgs({ allowPositionals: true });
const wanted = positionals.length === 0 ? Object.keys(CASES) : positionals;
const unknown = wanted.filter((name) => !(name in CASES));
if (unknown.length > 0) {
  console.error(`There is no case ${unknown.join(', ')}; there are: ${Object.keys(CASES).join(', ')}`);
  process.exit(2);
}

console.log(`${cpus().length} processors, load ${loadavg()[0].toFixed(1)}, Node ${process.version}\n`);
console.log('| case | what | measured | goal |\n| --- | --- | ---: | ---: |');
const results = {};
for (const name of wanted) {
  results[name] = await CASES[name]();
  for (const [what, measured, goal] of results[name]) {
    console.log(`| ${name} | ${what} | ${rounded(measured)} | ${goal === undefined ? '' : rounded(goal)} |`);
  }
}
await mkdir('.cache', { recursive: true });
await writeFile('.cache/console-figures.json', `${JSON.stringify(results, undefined, 2)}\n`);

function rounded(value) {
  return value >= 100 || Number.isInteger(value) ? String(Math.round(value)) : value.toPrecision(3);
}
