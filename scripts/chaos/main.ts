import { readWish, usage, UsageError, type Wish } from './command-line.js';
import { lineOf, type Report, runScenario } from './run-scenario.js';
import { tableOf } from './table.js';

function wishOf(args: readonly string[]): Wish {
  try {
    const wish = readWish(args);
    if (wish !== undefined) return wish;
    console.log(usage());
    process.exit(0);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`${error.message}\nnpm run chaos -- --help lists the options.`);
    process.exit(2);
  }
}

// Every process that is started must end with this one.
process.setMaxListeners(1000);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const { scenarios, isTable, ...options } = wishOf(process.argv.slice(2));
const reports: Report[] = [];
for (const scenario of scenarios) {
  const size = isTable && scenario.tasks !== undefined ? { tasks: scenario.tasks.full } : {};
  const report = await runScenario(scenario, { ...options, ...size });
  reports.push(report);
  console.log(lineOf(report));
}
if (isTable) console.log(`\n${tableOf(reports)}`);
process.exit(reports.every(({ ok }) => ok) ? 0 : 1);
