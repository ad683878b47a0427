import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { INTEROP_CLIENTS } from '../../../scripts/interop/clients.js';
import { INTEROP_CELLS } from '../../interop/cells.js';
import type { InteropDriver } from '../../interop/driver.js';
import { WebhookReceiver } from '../../interop/webhook-receiver.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';

// Go compiles the client, with its packages, the first time.
jest.setTimeout(300_000);

function hasGo(): boolean {
  try {
    execFileSync('go', ['version']);
    return true;
  } catch (error) {
    process.stderr.write(`SKIPPED: the official Go client is not run, as there is no Go here: ${String(error)}\n`);
    return false;
  }
}

const ofGo = INTEROP_CLIENTS.filter(({ name }) => name.startsWith('Go '));
const cell = INTEROP_CELLS.find(({ needs }) => needs.includes('repeat'));

(hasGo() ? describe : describe.skip)('the official Go client', () => {
  let running: RunningApp;
  let receiver: WebhookReceiver;
  let cache: string;

  beforeAll(async () => {
    running = await runApp({ GRPC_PORT: '0' });
    receiver = await WebhookReceiver.start();
    cache = await mkdtemp(join(tmpdir(), 'parley-go-'));
  });

  afterAll(async () => {
    await running.close();
    await receiver.stop();
    await rm(cache, { recursive: true });
  });

  it.each(ofGo.flatMap((client) => client.bindings.map((binding) => [client.name, binding, client] as const)))(
    'gets one task for a message that it sends 20 times: %s on %s (B2, A2A-SEND-14)',
    async (_name, binding, client) => {
      const open = await client.prepare({ cache, python: 'python3' });
      const { driver, close } = await open(running.url, binding);
      try {
        await expect(cell?.run(driver as InteropDriver, { receiver })).resolves.toBeUndefined();
      } finally {
        await close();
      }
    },
  );
});
