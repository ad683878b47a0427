import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runApp, type RunningApp } from '../../kit/running-app.js';
import { INTEROP_CELLS } from '../../interop/cells.js';
import type { InteropDriver } from '../../interop/driver.js';
import { driverV03 } from '../../interop/js/v0-3.js';
import { driverV1 } from '../../interop/js/v1.js';
import { parleyDriver } from '../../interop/parley-driver.js';
import { startJsServer } from '../../interop/servers/js.js';
import { WebhookReceiver } from '../../interop/webhook-receiver.js';

let receiver: WebhookReceiver;
let running: RunningApp;

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  running = await runApp({ EGRESS_ALLOW: receiver.egress });
});

afterAll(async () => {
  await running.close();
  await receiver.stop();
});

/** The part of `npm run interop` that needs nothing but npm packages. */
describe.each([
  ['1.3.0', driverV1],
  ['0.3.13', driverV03],
])('@a2a-js/sdk %s on JSONRPC', (_version, open) => {
  it.each(INTEROP_CELLS)('$name', async ({ needs, run }) => {
    const driver: Partial<InteropDriver> = await open(running.url, 'JSONRPC');
    if (needs.some((operation) => driver[operation] === undefined)) return;
    await expect(run(driver as InteropDriver, receiver)).resolves.toBeUndefined();
  });
});

/** Cells about the words and skills of Parley. */
const OURS = ['error: bad params'];
/** 0.3 has no list of tasks. */
const NOT_IN_V03 = ['list'];

/** The client of the command line and of remote agents, against the server of the SDK. */
describe.each([
  ['JSONRPC', '1.0'],
  ['HTTP+JSON', '1.0'],
  ['JSONRPC', '0.3'],
])('our client on %s %s of the server of @a2a-js/sdk 1.3.0', (binding, version) => {
  let server: Awaited<ReturnType<typeof startJsServer>>;

  beforeAll(async () => {
    server = await startJsServer();
  });

  afterAll(() => server.stop());

  const left = [...OURS, ...(version === '0.3' ? NOT_IN_V03 : [])];
  it.each(INTEROP_CELLS.filter(({ name }) => !left.includes(name)))('$name', async ({ run }) => {
    const driver = await parleyDriver(server.url, binding, version);
    await expect(run(driver, receiver)).resolves.toBeUndefined();
  });
});
