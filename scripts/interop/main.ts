// npm run interop: tests the official clients of four languages against the built service, on every binding of each.
// Installs them into .cache/interop, prints a table, and writes it into docs/conformance.md when all clients were run.
// Exits with 1 if a cell fails that test/interop/known-faults.json does not list, or if a listed one passes.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import prettier from 'prettier';
import { INTEROP_CELLS } from '../../test/interop/cells.js';
import type { InteropDriver } from '../../test/interop/driver.js';
import { WebhookReceiver } from '../../test/interop/webhook-receiver.js';
import { ServiceProcess } from '../../test/kit/service-process.mjs';
import { INTEROP_CLIENTS, type InteropClient, type OpenDriver } from './clients.js';
import { deadline } from './deadline.js';
import { type KnownFault, markdownTable, type Outcome, type Row, surprises } from './report.js';

const ROOT = new URL('../../', import.meta.url);
const DOCUMENT = fileURLToPath(new URL('docs/conformance.md', ROOT));
const BEGIN = '<!-- interop: written by npm run interop -->';
const END = '<!-- /interop -->';
const CELL_MS = 60_000;

const { values } = parseArgs({
  options: {
    client: { type: 'string', multiple: true, default: [] },
    python: { type: 'string', default: 'python3' },
    cache: { type: 'string', default: fileURLToPath(new URL('.cache/interop', ROOT)) },
  },
});
const wanted = values.client;
const clients = INTEROP_CLIENTS.filter(
  ({ name }) => wanted.length === 0 || wanted.some((part) => name.toLowerCase().includes(part.toLowerCase())),
);
const faults = JSON.parse(
  await readFile(new URL('test/interop/known-faults.json', ROOT), 'utf8'),
) as readonly KnownFault[];

const rows = await withService((url, receiver) => allRows(url, receiver));
const table = markdownTable(rows, faults);
console.log(`\n${table}\n`);
const unexplained = surprises(rows, faults);
for (const line of unexplained) console.log(line);
if (clients.length === INTEROP_CLIENTS.length) await write(table);
process.exitCode = unexplained.length === 0 ? 0 : 1;

async function withService<T>(work: (url: string, receiver: WebhookReceiver) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-interop-'));
  const receiver = await WebhookReceiver.start();
  const service = new ServiceProcess({
    ...{ GRPC_PORT: '0', DATA_DIR: folder, AUDIT_LOG: '/dev/null', EGRESS_ALLOW: receiver.egress },
    LOG_LEVEL: 'info',
  });
  try {
    return await work(await service.ready(), receiver);
  } finally {
    await service.stop('SIGINT');
    await receiver.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function allRows(url: string, receiver: WebhookReceiver): Promise<readonly Row[]> {
  const cache = resolve(values.cache);
  await mkdir(cache, { recursive: true });
  const found: Row[] = [];
  for (const client of clients) {
    console.log(`${client.name}: installing`);
    const open = await client.prepare({ cache, python: values.python });
    for (const binding of client.bindings) found.push(await rowOf(client, binding, { open, url, receiver }));
  }
  return found;
}

interface Bench {
  readonly open: OpenDriver;
  readonly url: string;
  readonly receiver: WebhookReceiver;
}

async function rowOf(client: InteropClient, binding: string, { open, url, receiver }: Bench): Promise<Row> {
  const { driver, close } = await open(url, binding);
  const outcomes = new Map<string, Outcome>();
  for (const { name, needs, run } of INTEROP_CELLS) {
    if (needs.some((operation) => client.lacks.includes(operation))) continue;
    outcomes.set(name, await outcomeOf(() => run(driver as InteropDriver, receiver)));
  }
  await close();
  const failed = [...outcomes.values()].filter((outcome) => outcome?.failure !== undefined).length;
  console.log(`${client.name}, ${binding}: ${String(outcomes.size - failed)} of ${String(outcomes.size)} cells passed`);
  return { client: client.name, speaks: client.speaks, binding, outcomes };
}

async function outcomeOf(cell: () => Promise<void>): Promise<Outcome> {
  try {
    await deadline(cell(), CELL_MS, 'The cell was not over');
    return {};
  } catch (error) {
    return { failure: String(error).replaceAll('\n', ' ').slice(0, 300) };
  }
}

/** Puts the table between its marks, formatted as the repository has it. */
async function write(text: string): Promise<void> {
  const document = await readFile(DOCUMENT, 'utf8');
  const begin = document.indexOf(BEGIN);
  const end = document.indexOf(END);
  if (begin === -1 || end === -1) throw new Error(`${DOCUMENT} has no place for the table`);
  const date = new Date().toISOString().slice(0, 10);
  const changed = `${document.slice(0, begin)}${BEGIN}\n\nLast run: ${date}.\n\n${text}\n\n${document.slice(end)}`;
  const options = await prettier.resolveConfig(DOCUMENT);
  await writeFile(DOCUMENT, await prettier.format(changed, { ...options, filepath: DOCUMENT }));
}
