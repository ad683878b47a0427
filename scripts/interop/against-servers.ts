import { INTEROP_CELLS, type InteropCell } from '../../test/interop/cells.js';
import { commandDriver } from '../../test/interop/command-driver.js';
import { parleyDriver } from '../../test/interop/parley-driver.js';
import { WebhookReceiver } from '../../test/interop/webhook-receiver.js';
import type { RunningServer } from './foreign-server.js';
import { startMirror } from './mirror.js';
import type { Row } from './report.js';
import { runCells } from './run-cells.js';
import type { InteropServer, ServerInterface } from './servers.js';
import type { Toolbox } from './toolbox.js';

/** A cell about words and skills of Parley. */
const OURS = ['error: bad params'];
/** 0.3 has no list of tasks. */
const NOT_IN_V03 = ['list'];
/** What a caller of a mirrored skill meets of the other agent; the rest is this service alone. */
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
      const running = await start();
      try {
        rows.push(...(await rowsOf(server, running, receiver)));
      } finally {
        await running.stop();
      }
    }
    return rows;
  } finally {
    await receiver.stop();
  }
}

async function rowsOf(
  { name, interfaces }: InteropServer,
  { url }: RunningServer,
  receiver: WebhookReceiver,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const one of interfaces) {
    const cells = cellsOf(one);
    const client = await parleyDriver(url, one.binding, one.speaks);
    rows.push(await runCells({ client: name, ...one, by: 'client' }, cells, { driver: client, receiver }));
    const command = commandDriver(url, one.binding, one.speaks);
    rows.push(await runCells({ client: name, ...one, by: 'parley' }, cells, { driver: command, receiver }));
  }
  const [preferred] = interfaces;
  if (preferred === undefined) return rows;
  const { driver, stop } = await startMirror(url, receiver.egress);
  const cells = INTEROP_CELLS.filter((cell) => MIRRORED.includes(cell.name));
  rows.push(await runCells({ client: name, ...preferred, by: 'mirror' }, cells, { driver, receiver }).finally(stop));
  return rows;
}

function cellsOf({ speaks }: ServerInterface): readonly InteropCell[] {
  const left = [...OURS, ...(speaks === '0.3' ? NOT_IN_V03 : [])];
  return INTEROP_CELLS.filter(({ name }) => !left.includes(name));
}
