import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';

const INVOICE = new URL('../../fixtures/invoices/factur-x/factur-x-basic.xml', import.meta.url);

let files: Server;
let running: RunningApp;
let client: RpcClient;
let asked: string[];

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

async function extract(url: string): Promise<Awaited<ReturnType<RpcClient['task']>>> {
  const parts = [{ url, mediaType: 'application/xml' }];
  return client.task('SendMessage', aMessage('', { skillId: 'extract_invoice_data', parts }));
}

describe('a file that is named by its url (A2A-SEC-03)', () => {
  beforeAll(async () => {
    asked = [];
    const bytes = await readFile(INVOICE);
    files = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(request.url === '/moved' ? 302 : 200, { location: '/invoice.xml' }).end(bytes);
    });
    await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve));
    running = await runApp({ EGRESS_ALLOW: `localhost:${String(portOf(files))}=127.0.0.1/32!http` });
    client = new RpcClient(running.url);
  });

  afterAll(async () => {
    await running.close();
    files.close();
  });

  it('is fetched from an allowed address and read', async () => {
    const task = await extract(`http://localhost:${String(portOf(files))}/invoice.xml`);
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(JSON.stringify(task.artifacts)).toContain('F20260023');
  });

  it.each(['http://127.0.0.1:PORT/invoice.xml', 'https://169.254.169.254/latest', 'http://localhost:PORT/moved'])(
    'is not fetched from %s',
    async (address) => {
      const before = asked.filter((path) => path === '/invoice.xml').length;
      const task = await extract(address.replace('PORT', String(portOf(files))));
      expect(['TASK_STATE_REJECTED', 'TASK_STATE_FAILED']).toContain(task.status.state);
      expect(asked.filter((path) => path === '/invoice.xml')).toHaveLength(before);
    },
  );
});
