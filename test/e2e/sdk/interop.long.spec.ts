import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AUDIENCE, TestIssuer } from '../../kit/auth/test-issuer.js';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';
import { INTEROP_CELLS } from '../../interop/cells.js';
import type { GuardedAgent, InteropDriver } from '../../interop/driver.js';
import { driverV03 } from '../../interop/js/v0-3.js';
import { driverV1 } from '../../interop/js/v1.js';
import { parleyDriver } from '../../interop/parley-driver.js';
import { startJsServer } from '../../interop/servers/js.js';
import { WebhookReceiver } from '../../interop/webhook-receiver.js';

/** What the guarded server wants to see. */
const SECRET = 'a secret of the interop';

let receiver: WebhookReceiver;
let running: RunningApp;
let issuer: TestIssuer;
let guarded: RunningApp;

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  running = await runApp({ EGRESS_ALLOW: receiver.egress });
  issuer = await TestIssuer.start();
  guarded = await runApp({ JWT_ISSUER: issuer.url, JWT_AUDIENCE: AUDIENCE, JWT_TENANT: 'acme' });
});

afterAll(async () => {
  await running.close();
  await guarded.close();
  await issuer.stop();
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
    const agent: GuardedAgent = {
      credentials: [{ bearer: issuer.token({ scope: 'a2a:message.send a2a:tasks.read' }) }],
      open: async (known) => ({
        driver: await open(guarded.url, 'JSONRPC', known !== undefined && 'bearer' in known ? known.bearer : undefined),
        close: () => Promise.resolve(),
      }),
      refusal: /401|needs credentials|access token/,
    };
    await expect(
      run(driver as InteropDriver, { receiver, guarded: agent, service: running.url }),
    ).resolves.toBeUndefined();
  });
});

/** Cells about the words and skills of Parley. */
const OURS = ['error: bad params', 'file that a skill reads', 'same message again'];
/** 0.3 has no list of tasks. */
const NOT_IN_V03 = ['list'];

/** The client of the command line and of remote agents, against the server of the SDK. */
describe.each([
  ['JSONRPC', '1.0'],
  ['HTTP+JSON', '1.0'],
  ['JSONRPC', '0.3'],
])('our client on %s %s of the server of @a2a-js/sdk 1.3.0', (binding, version) => {
  let server: Awaited<ReturnType<typeof startJsServer>>;
  let theirs: typeof server;

  beforeAll(async () => {
    [server, theirs] = [await startJsServer(), await startJsServer(SECRET)];
  });

  afterAll(() => Promise.all([server.stop(), theirs.stop()]));

  const left = [...OURS, ...(version === '0.3' ? NOT_IN_V03 : [])];
  it.each(INTEROP_CELLS.filter(({ name }) => !left.includes(name)))('$name', async ({ run }) => {
    const driver = await parleyDriver(server.url, binding, version);
    const agent: GuardedAgent = {
      credentials: [{ bearer: SECRET }, { apiKey: SECRET }],
      open: async (known) => ({
        driver: await parleyDriver(theirs.url, binding, version, known),
        close: () => Promise.resolve(),
      }),
      refusal: /answered 401/,
    };
    await expect(run(driver as InteropDriver, { receiver, guarded: agent })).resolves.toBeUndefined();
  });
});
