import { INTEROP_CELLS, type InteropCell } from '../../test/interop/cells.js';
import { commandDriver } from '../../test/interop/command-driver.js';
import { parleyDriver } from '../../test/interop/parley-driver.js';
import type { DrivenCredential, GuardedAgent, SdkDriver } from '../../test/interop/driver.js';
import { WebhookReceiver } from '../../test/interop/webhook-receiver.js';
import type { RunningServer } from './foreign-server.js';
import { startMirror } from './mirror.js';
import type { Row } from './report.js';
import { runCells } from './run-cells.js';
import type { InteropServer, ServerInterface } from './servers.js';
import type { Toolbox } from './toolbox.js';

/** Credential that the guarded servers require. */
const SECRET = 'interop-secret';
/** Callers of servers, and how they say that their credential was refused: 4 is the exit code of the command for that. */
const CALLERS = [
  ['client', parleyDriver, /answered 401/],
  ['parley', commandDriver, /^Error: exit 4,/],
] as const;
/** Cells about words and skills of Parley. */
const OURS = ['error: bad params', 'file that a skill reads', 'same message again'];
/** 0.3 has no list of tasks. */
const NOT_IN_V03 = ['list'];
/** Operations of a mirrored skill that reach the other agent; the rest is this service alone. */
const MIRRORED = [
  ...['send', 'send, then get', 'stream', 'resubscribe', 'cancel', 'question and answer', 'file', 'data'],
  'webhook delivery',
];

/** Official servers, called by the client, by the command and by a service that mirrors their tasks. */
export async function serverRows(servers: readonly InteropServer[], toolbox: Toolbox): Promise<readonly Row[]> {
  const receiver = await WebhookReceiver.start();
  try {
    const rows: Row[] = [];
    for (const server of servers) {
      console.log(`${server.name}: installing`);
      const start = await server.prepare(toolbox);
      const found = await during(start(), (open) =>
        during(start(SECRET), (guarded) => rowsOf(server, { open, guarded }, receiver)),
      );
      rows.push(...found);
    }
    return rows;
  } finally {
    await receiver.stop();
  }
}

async function during<T>(starting: Promise<RunningServer>, work: (server: RunningServer) => Promise<T>): Promise<T> {
  const server = await starting;
  return work(server).finally(server.stop);
}

/** The same server, once as it is and once with a secret. */
interface Running {
  readonly open: RunningServer;
  readonly guarded: RunningServer;
}

async function rowsOf(
  { name, interfaces }: InteropServer,
  { open: { url }, guarded }: Running,
  receiver: WebhookReceiver,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const one of interfaces) {
    const cells = cellsOf(one);
    for (const [by, open, refusal] of CALLERS) {
      const driver = await open(url, one.binding, one.speaks);
      const agent = guardedAgent(refusal, (known) => open(guarded.url, one.binding, one.speaks, known));
      rows.push(await runCells({ client: name, ...one, by }, cells, driver, { receiver, guarded: agent }));
    }
  }
  const [preferred] = interfaces;
  if (preferred === undefined) return rows;
  const { driver, stop } = await startMirror(url, receiver.egress);
  const cells = INTEROP_CELLS.filter((cell) => MIRRORED.includes(cell.name));
  rows.push(await runCells({ client: name, ...preferred, by: 'mirror' }, cells, driver, { receiver }).finally(stop));
  return rows;
}

function guardedAgent(
  refusal: RegExp,
  open: (credential?: DrivenCredential) => SdkDriver | Promise<SdkDriver>,
): GuardedAgent {
  const credentials = [{ bearer: SECRET }, { apiKey: SECRET }];
  const close = (): Promise<void> => Promise.resolve();
  return { credentials, refusal, open: async (credential) => ({ driver: await open(credential), close }) };
}

function cellsOf({ speaks }: ServerInterface): readonly InteropCell[] {
  const left = [...OURS, ...(speaks === '0.3' ? NOT_IN_V03 : [])];
  return INTEROP_CELLS.filter(({ name }) => !left.includes(name));
}
