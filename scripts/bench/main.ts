import { mkdir, writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import type { BenchCase, Measure } from './bench-case.js';
import { chunks } from './case/chunks.js';
import { cascade } from './case/cascade.js';
import { FLOW_CASES } from './case/flows.js';
import { footprint } from './case/footprint.js';
import { intents } from './case/intents.js';
import { lag } from './case/lag.js';
import { list } from './case/list/list.js';
import { listMillion } from './case/list/list-million.js';
import { MCP_CASES } from './case/mcp.js';
import { mcpClient } from './case/mcp-client.js';
import { policy } from './case/policy.js';
import { REQUEST_CASES } from './case/requests.js';
import { streams } from './case/streams.js';
import { sweep } from './case/sweep.js';
import { tokens } from './case/tokens.js';
import { webhooks } from './case/webhooks.js';
import { conditionsText } from './report/conditions.js';
import { speedTogether } from './load/processors.js';
import { type Effort, Lab } from './system/lab.js';
import { figuresTable, goalsTable } from './report/report.js';
import { SYSTEMS } from './system/system.js';

const CASES: readonly BenchCase[] = [
  ...REQUEST_CASES,
  ...[footprint, list, listMillion, chunks, streams, lag, webhooks, sweep, intents, policy, tokens],
  ...MCP_CASES,
  mcpClient,
  ...FLOW_CASES,
  cascade,
];

const USAGE = `npm run bench -- [--quick] [--case <name>]… [--system <name>]… [--rounds <number>] [--seconds <number>] [--json <file>]

${CASES.map(({ name, what }) => `  ${name.padEnd(14)}${what}`).join('\n')}

Systems: ${SYSTEMS.join(', ')}.

Measures this service and the official SDK in turn on the same machine, and prints Markdown. Compare ratios within one
run only. --quick takes a minute; its figures are too rough to publish.`;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    case: { type: 'string', multiple: true, default: [] },
    system: { type: 'string', multiple: true, default: [] },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    json: { type: 'string', default: '.cache/bench.json' },
    help: { type: 'boolean', default: false },
  },
});
const isChosen = ({ name, onlyByName }: BenchCase): boolean =>
  values.case.length === 0 ? onlyByName !== true : values.case.includes(name);
const chosen = CASES.filter(isChosen);
if (values.help || chosen.length === 0) {
  console.log(USAGE);
  process.exit(values.help ? 0 : 2);
}

const usual = values.quick ? { rounds: 1, seconds: 0.5 } : { rounds: 5, seconds: 1.5 };
const effort: Effort = {
  rounds: Number(values.rounds ?? usual.rounds),
  seconds: Number(values.seconds ?? usual.seconds),
  quick: values.quick,
  systems: values.system.length === 0 ? SYSTEMS : SYSTEMS.filter((name) => values.system.includes(name)),
};
const began = Date.now();
const [loadBefore = 0] = loadavg();
const before = await speedTogether();
const say = (line: string): void => void process.stderr.write(`${line}\n`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
// Every process that is started must end with this one.
process.setMaxListeners(1000);

const lab = await Lab.open(effort, say);
const measures: Measure[] = [];
const redisVersion = await lab.redisVersion();
let isWhole = true;
try {
  for (const one of chosen) {
    const started = Date.now();
    try {
      measures.push(...(await one.run(lab)));
    } catch (error) {
      // The figures of the other cases, a quarter of an hour's work, are kept.
      isWhole = false;
      say(`${one.name} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    }
    await lab.stopAll();
    say(`${one.name}: ${((Date.now() - started) / 1000).toFixed(1)} s`);
  }
} finally {
  await lab.close();
}
const goals = chosen.flatMap((one) => one.goals);
const seconds = (Date.now() - began) / 1000;
const together = [before, await speedTogether()] as const;
const conditions = conditionsText({ effort, redisVersion, loadBefore, together, began: new Date(began), seconds });
console.log([conditions, figuresTable(measures), goalsTable(goals, measures)].join('\n\n'));
say(`${seconds.toFixed(0)} s in all`);
await mkdir(dirname(values.json), { recursive: true });
await writeFile(
  values.json,
  `${JSON.stringify({ at: new Date(began), seconds, conditions, effort, measures }, null, 2)}\n`,
);
process.exit(isWhole ? 0 : 1);
