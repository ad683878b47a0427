import { parseArgs } from 'node:util';
import { Random } from './random.js';
import type { Scenario } from './scenario.js';
import { api } from './scenario/api.js';
import { cancel } from './scenario/cancel.js';
import { drain } from './scenario/drain.js';
import { outage } from './scenario/outage.js';
import { poison } from './scenario/poison.js';
import { recovery } from './scenario/recovery.js';
import { redis } from './scenario/redis.js';
import { streams } from './scenario/streams.js';
import { webhookCrashes } from './scenario/webhook-crashes.js';
import { webhooks } from './scenario/webhooks.js';
import { workers } from './scenario/workers.js';

const SCENARIOS: readonly Scenario[] = [
  workers,
  redis,
  api,
  streams,
  poison,
  outage,
  drain,
  recovery,
  cancel,
  webhooks,
  webhookCrashes,
];

const USAGE = `npm run chaos -- --scenario <name> [--tasks <number>] [--seed <number>] [--set <name>=<number>]…

${SCENARIOS.map(({ name, what, usualTasks }) => `  ${name.padEnd(17)}${what} (${usualTasks} tasks unless told)`).join('\n')}

Prints one line of JSON per scenario, and fails when a promise was broken. "all" runs them one after the other.`;

const { values } = parseArgs({
  options: {
    scenario: { type: 'string', multiple: true, default: [] },
    tasks: { type: 'string' },
    seed: { type: 'string' },
    set: { type: 'string', multiple: true, default: [] },
    help: { type: 'boolean', default: false },
  },
});
const chosen = values.scenario.includes('all')
  ? SCENARIOS
  : SCENARIOS.filter(({ name }) => values.scenario.includes(name));
if (values.help || chosen.length === 0) {
  console.log(USAGE);
  process.exit(values.help ? 0 : 2);
}

// Every process that is started must end with this one.
process.setMaxListeners(1000);
const numbers = new Map(values.set.map((text) => [text.split('=')[0] ?? '', Number(text.split('=')[1])]));
let isBroken = false;
for (const scenario of chosen) {
  const seed = values.seed === undefined ? Math.floor(Math.random() * 1e9) : Number(values.seed);
  const say = (line: string): void => void process.stderr.write(`${scenario.name}: ${line}\n`);
  const tasks = Number(values.tasks ?? scenario.usualTasks);
  say(`seed ${seed}, ${tasks} tasks`);
  const number = (name: string, usual: number): number => numbers.get(name) ?? usual;
  const { figures, broken } = await scenario.run({ tasks, random: new Random(seed), say, number });
  isBroken ||= broken.length > 0;
  console.log(JSON.stringify({ scenario: scenario.name, seed, ok: broken.length === 0, ...figures, broken }));
}
process.exit(isBroken ? 1 : 0);
