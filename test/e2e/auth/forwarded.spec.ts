import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { status } from '@grpc/grpc-js';
import { GRPC_DIALECTS } from '../../../src/http/grpc/grpc-dialects.js';
import { GrpcBinding } from '../../../src/http/grpc/grpc.binding.js';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { GrpcClient } from '../../kit/callers/grpc-client.js';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';

const KEY = 'probe.secret';
const CALLER = '203.0.113.7';

let folder: string;
let running: RunningApp;

async function start(variables: Readonly<Record<string, string>> = {}): Promise<void> {
  running = await runApp({
    API_KEYS: apiKeyEntry(KEY, { tenant: 'acme', scopes: 'a2a:tasks.read' }),
    AUDIT_LOG: join(folder, 'audit.log'),
    GRPC_PORT: '0',
    ...variables,
  });
}

/** The address of every decision so far. */
function addresses(): readonly string[] {
  const lines = readFileSync(join(folder, 'audit.log'), 'utf8').trim().split('\n');
  return lines.map((line) => (JSON.parse(line) as { address: string }).address);
}

async function list(headers: Readonly<Record<string, string>>): Promise<number> {
  return (await fetch(`${running.url}/tasks`, { headers: { 'a2a-version': '1.0', ...headers } })).status;
}

function grpc(metadata: Readonly<Record<string, string>>): GrpcClient {
  const [dialect] = GRPC_DIALECTS;
  if (dialect === undefined) throw new Error('There is no gRPC dialect');
  const { definition } = running.app.get(GrpcBinding).service(dialect);
  return new GrpcClient(running.grpc ?? '', definition, metadata);
}

describe('the address of a caller behind an ingress', () => {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'parley-forwarded-'));
  });

  afterEach(async () => {
    await running.close();
    rmSync(folder, { recursive: true });
  });

  it('is what the ingress says, in the audit log of HTTP and gRPC', async () => {
    await start({ INGRESS_NETWORKS: '127.0.0.0/8' });
    await list({ 'x-api-key': KEY, 'x-forwarded-for': `1.1.1.1, ${CALLER}` });
    await list({ 'x-api-key': 'probe.wrong', 'x-forwarded-for': CALLER });
    const client = grpc({ 'x-api-key': KEY, 'x-forwarded-for': `1.1.1.1, ${CALLER}` });
    await client.call('ListTasks', Buffer.alloc(0));
    client.close();
    expect(addresses()).toEqual([CALLER, CALLER, CALLER]);
  });

  it('is that of the connection for everybody else', async () => {
    await start({ INGRESS_NETWORKS: '10.0.0.0/8' });
    await list({ 'x-api-key': KEY, 'x-forwarded-for': CALLER });
    const client = grpc({ 'x-api-key': KEY, 'x-forwarded-for': CALLER });
    await client.call('ListTasks', Buffer.alloc(0));
    client.close();
    expect(addresses()).toEqual(['127.0.0.1', '127.0.0.1']);
  });

  it('has limits of its own, whatever others behind the same ingress do', async () => {
    await start({ INGRESS_NETWORKS: '127.0.0.0/8', RATE_ADDRESS: '1/1', RATE_FAILURE: '1/1' });
    const noisy = { 'x-api-key': KEY, 'x-forwarded-for': '203.0.113.8' };
    expect([await list(noisy), await list(noisy)]).toEqual([200, 429]);
    expect(await list({ 'x-api-key': KEY, 'x-forwarded-for': CALLER })).toBe(200);
    const client = grpc({ 'x-api-key': KEY, 'x-forwarded-for': '203.0.113.8' });
    await expect(client.call('ListTasks', Buffer.alloc(0))).rejects.toMatchObject({ code: status.RESOURCE_EXHAUSTED });
    client.close();
  });
});
