// npm run interop: tests the official clients of five languages, and frameworks, against the built service, on every binding of each; then the client,
// the command and the remote agents of the service against the official servers. `--client <part of a name>` and `--server <…>` run
// some of them, `--server ''` all servers and no client. Installs all into .cache/interop, prints tables, and writes each into
// docs/conformance/interop.md when all of its side were run.
// Exits with 1 if a cell fails that test/interop/known-faults.json does not list, or if a listed one passes.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import prettier from 'prettier';
import { INTEROP_CELLS } from '../../test/interop/cells.js';
import type { GuardedAgent, InteropDriver, OpenedDriver } from '../../test/interop/driver.js';
import { TURN_CELLS } from '../../test/interop/turn-cells.js';
import { WebhookReceiver } from '../../test/interop/webhook-receiver.js';
import { AUDIENCE, TestIssuer } from '../../test/kit/auth/test-issuer.js';
import { ServiceProcess } from '../../test/kit/app/service-process.mjs';
import { serverRows } from './against-servers.js';
import { INTEROP_CLIENTS, INTEROP_FRAMEWORKS, type InteropClient } from './clients.js';
import { type KnownFault, markdownTable, type Row, surprises } from './report.js';
import { runCells } from './run-cells.js';
import { INTEROP_SERVERS } from './servers.js';

const ROOT = new URL('../../', import.meta.url);
const DOCUMENT = fileURLToPath(new URL('docs/conformance/interop.md', ROOT));
const BEGIN = {
  clients: '<!-- interop: written by npm run interop -->',
  frameworks: '<!-- interop frameworks: written too -->',
  servers: '<!-- interop servers: written too -->',
};
const END = {
  clients: '<!-- /interop -->',
  frameworks: '<!-- /interop frameworks -->',
  servers: '<!-- /interop servers -->',
};
type Side = keyof typeof BEGIN;

const { values } = parseArgs({
  options: {
    client: { type: 'string', multiple: true, default: [] },
    server: { type: 'string', multiple: true, default: [] },
    python: { type: 'string', default: 'python3' },
    cache: { type: 'string', default: fileURLToPath(new URL('.cache/interop', ROOT)) },
  },
});
const isAll = values.client.length === 0 && values.server.length === 0;
const asked = { clients: named(INTEROP_CLIENTS, values.client), frameworks: named(INTEROP_FRAMEWORKS, values.client) };
const servers = named(INTEROP_SERVERS, values.server);
const faults = JSON.parse(
  await readFile(new URL('test/interop/known-faults.json', ROOT), 'utf8'),
) as readonly KnownFault[];

const toolbox = { cache: resolve(values.cache), python: values.python };
await mkdir(toolbox.cache, { recursive: true });
const found = await againstService([...asked.clients, ...asked.frameworks]);
const isOf = (side: readonly InteropClient[]) => (row: Row) => side.some(({ name }) => name === row.client);
const rows: Readonly<Record<Side, readonly Row[]>> = {
  clients: found.filter(isOf(INTEROP_CLIENTS)),
  frameworks: found.filter(isOf(INTEROP_FRAMEWORKS)),
  servers: await serverRows(servers, toolbox),
};
const wholeSides = [
  ...(asked.clients.length === INTEROP_CLIENTS.length ? ['clients' as const] : []),
  ...(asked.frameworks.length === INTEROP_FRAMEWORKS.length ? ['frameworks' as const] : []),
  ...(servers.length === INTEROP_SERVERS.length ? ['servers' as const] : []),
];
for (const side of ['clients', 'frameworks', 'servers'] as const) {
  const table = markdownTable(rows[side], faults);
  if (rows[side].length > 0) console.log(`\n${table}\n`);
  if (wholeSides.includes(side)) await write(side, table);
}
const unexplained = surprises([...found, ...rows.servers], faults);
for (const line of unexplained) console.log(line);
process.exitCode = unexplained.length === 0 ? 0 : 1;

/** Those whose name has one of the parts; all where nothing is asked for, none where only the other side is. */
function named<T extends { readonly name: string }>(all: readonly T[], parts: readonly string[]): readonly T[] {
  if (parts.length === 0) return isAll ? all : [];
  return all.filter(({ name }) => parts.some((part) => name.toLowerCase().includes(part.toLowerCase())));
}

/** The service once as it starts, and once with an issuer whose tokens it wants. */
async function againstService(clients: readonly InteropClient[]): Promise<readonly Row[]> {
  if (clients.length === 0) return [];
  const receiver = await WebhookReceiver.start();
  const issuer = await TestIssuer.start();
  const wanted = {
    ...{ JWT_ISSUER: issuer.url, JWT_AUDIENCE: AUDIENCE, JWT_TENANT: 'interop' },
    JWT_TOKEN_URL: `${issuer.url}/token`,
    RATE_FAILURE: '1000/1000',
  };
  const token = (): string => issuer.token({ scope: 'a2a:message.send a2a:tasks.read' });
  try {
    return await withService({ EGRESS_ALLOW: receiver.egress }, (open) =>
      withService(wanted, (guarded) => clientRows(clients, { open, guarded, token }, receiver)),
    );
  } finally {
    await issuer.stop();
    await receiver.stop();
  }
}

async function withService<T>(variables: Record<string, string>, work: (url: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-interop-'));
  // Whatever adds to the card is on: clients that check a card check it whole.
  const usual = {
    GRPC_PORT: '0',
    MCP: 'true',
    REGISTRY: 'true',
    DATA_DIR: folder,
    AUDIT_LOG: '/dev/null',
    LOG_LEVEL: 'info',
  };
  const service = new ServiceProcess({ ...usual, ...variables });
  try {
    return await work(await service.ready());
  } finally {
    await service.stop('SIGINT');
    // Its Redis may still write: it ends behind the service.
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

interface Services {
  readonly open: string;
  readonly guarded: string;
  readonly token: () => string;
}

async function clientRows(
  clients: readonly InteropClient[],
  { open: url, ...other }: Services,
  receiver: WebhookReceiver,
): Promise<readonly Row[]> {
  const found: Row[] = [];
  for (const client of clients) {
    console.log(`${client.name}: installing`);
    const open = await client.prepare(toolbox);
    for (const binding of client.bindings) {
      const cells = [...INTEROP_CELLS, ...TURN_CELLS].filter(
        ({ needs }) => !needs.some((operation) => client.lacks.includes(operation)),
      );
      const { driver, close } = await open(url, binding);
      const about = { client: client.name, speaks: client.speaks, binding };
      const guarded = client.guards.includes(binding)
        ? guardedBy(other.token(), (token) => open(other.guarded, binding, token))
        : undefined;
      const ground = { receiver, guarded, service: url };
      found.push(await runCells(about, cells, driver as InteropDriver, ground).finally(close));
    }
  }
  return found;
}

/** The guarded service for a client: its errors name the refusal in their own words. */
function guardedBy(bearer: string, open: (token?: string) => Promise<OpenedDriver>): GuardedAgent {
  return {
    credentials: [{ bearer }],
    open: (known) => open(known !== undefined && 'bearer' in known ? known.bearer : undefined),
    refusal: /401|unauth|needs credentials|access token|authentication failed/i,
  };
}

/** Puts the table between its marks, formatted as the repository has it. */
async function write(side: Side, text: string): Promise<void> {
  const document = await readFile(DOCUMENT, 'utf8');
  const begin = document.indexOf(BEGIN[side]);
  const end = document.indexOf(END[side]);
  if (begin === -1 || end === -1) throw new Error(`${DOCUMENT} has no place for the table`);
  const date = new Date().toISOString().slice(0, 10);
  const changed = `${document.slice(0, begin)}${BEGIN[side]}\n\nLast run: ${date}.\n\n${text}\n\n${document.slice(end)}`;
  const options = await prettier.resolveConfig(DOCUMENT);
  await writeFile(DOCUMENT, await prettier.format(changed, { ...options, filepath: DOCUMENT }));
}
