import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ServiceProcess } from '../../kit/app/service-process.mjs';
import type { Part } from '@parley/protocol/model/message.js';
import type { Task } from '@parley/protocol/model/task.js';
import { eventually } from '../../kit/run/eventually.js';
import { anInvoice, field } from '../../kit/invoice/an-invoice.js';
import { writePdf } from '../../kit/invoice/pdf-writer.js';
import { PLAIN_INVOICES } from '../../kit/invoice/plain-invoices.js';
import { testRedisUrl } from '../../kit/redis/shared-redis.js';
import { RpcClient } from '../../kit/callers/rpc-client.js';

const TIMEOUT_MS = 90_000;

let services: ServiceProcess[];
let dataDir: string;
let shared: Record<string, string>;

beforeEach(async () => {
  services = [];
  dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
  shared = { REDIS_URL: testRedisUrl(), KEY_PREFIX: `test-${randomUUID()}`, DATA_DIR: dataDir };
});

afterEach(async () => {
  await Promise.all(services.map((service) => service.stop('SIGKILL')));
  await rm(dataDir, { recursive: true, force: true });
});

function run(ROLE: string): ServiceProcess {
  const service = new ServiceProcess({ ...shared, ROLE });
  services.push(service);
  return service;
}

function toSkill(skillId: string, parts: readonly Part[], of?: Task) {
  const task = of === undefined ? {} : { taskId: of.id, contextId: of.contextId };
  return {
    message: { messageId: randomUUID(), role: 'ROLE_USER', parts, ...task, metadata: { skillId } },
    configuration: { returnImmediately: true },
  };
}

async function pdfPart(pages: Parameters<typeof writePdf>[0]): Promise<Part> {
  return { raw: Buffer.from(await writePdf(pages)).toString('base64'), mediaType: 'application/pdf' };
}

/** The task once it is in that state, with its artifacts. */
function taskIn(client: RpcClient, id: string, state: string): Promise<Task> {
  return eventually(
    async () => {
      const task = await client.task('GetTask', { id });
      expect(task.status.state).toBe(state);
      return task;
    },
    { timeoutMs: 30_000 },
  );
}

const expensive = { data: anInvoice({ totals: { ...anInvoice().totals, payable: field('23800.00') } }) };

describe('the invoice skills in a service', () => {
  it(
    'lose nothing when the worker is killed while it reads',
    async () => {
      const [api, worker] = [run('api'), run('worker'), run('dispatcher')] as const;
      const client = new RpcClient(await api.ready());
      const { pages } = PLAIN_INVOICES[3]!;
      // Pages without items between the first and the last give the time to kill the worker halfway.
      const long = [pages[0]!, ...Array.from({ length: 150 }, () => pages[1]!.slice(0, 2)), pages[1]!];
      const message = toSkill('extract_invoice_data', [await pdfPart(long)]);
      const stream = client.stream('SendStreamingMessage', message);
      let id = '';
      for await (const { data } of stream) {
        id ||= data.result?.task?.id ?? '';
        if (JSON.stringify(data.result).includes('Read page 3 of 152')) break;
      }
      await worker.stop('SIGKILL');
      run('worker');
      const task = await taskIn(client, id, 'TASK_STATE_COMPLETED');
      expect(task.artifacts?.map(({ artifactId }) => artifactId)).toEqual(['invoice', 'invoice-summary']);
      expect(task.artifacts?.[0]?.parts).toMatchObject([
        { data: { number: { value: '20260317' }, totals: { payable: { value: '2600.56' } } } },
      ]);
    },
    TIMEOUT_MS,
  );

  it(
    'ask once and decide once when the worker dies after the question and again after the answer (SEED-59)',
    async () => {
      const [api, worker] = [run('api'), run('worker'), run('dispatcher')] as const;
      const client = new RpcClient(await api.ready());
      const { id } = await client.task('SendMessage', toSkill('approve_payment', [expensive]));
      const asked = await taskIn(client, id, 'TASK_STATE_INPUT_REQUIRED');
      await worker.stop('SIGKILL');

      const answer = toSkill('approve_payment', [{ data: { decision: 'approve', comment: 'budget 4711' } }], asked);
      const waiting = await client.task('SendMessage', answer);
      expect(waiting.status.state).not.toBe('TASK_STATE_COMPLETED');
      run('worker');

      const task = await taskIn(client, id, 'TASK_STATE_COMPLETED');
      const questions = (task.history ?? []).filter(
        ({ role, parts }) => role === 'ROLE_AGENT' && JSON.stringify(parts).includes('Approve the payment of'),
      );
      expect(questions).toHaveLength(1);
      expect(task.artifacts?.map(({ artifactId }) => artifactId)).toEqual(['decision', 'decision-summary']);
      expect(task.artifacts?.[0]?.parts).toMatchObject([
        { data: { decision: 'approved', comment: 'budget 4711', amount: '23800.00' } },
      ]);
    },
    TIMEOUT_MS,
  );

  it(
    'refuse hostile files and go on serving',
    async () => {
      const client = new RpcClient(await run('all').ready());
      const bomb = '<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]><r>&b;</r>';
      const locked = await writePdf([[{ text: 'secret', x: 50, y: 50 }]], { password: 'x' });
      for (const bytes of [Buffer.from(bomb), Buffer.from('%PDF-1.7 nothing'), Buffer.from(locked)]) {
        const message = toSkill('extract_invoice_data', [{ raw: bytes.toString('base64') }]);
        const { id } = await client.task('SendMessage', message);
        await taskIn(client, id, 'TASK_STATE_REJECTED');
      }
      const { id } = await client.task('SendMessage', toSkill('validate_invoice', [{ data: anInvoice() }]));
      const task = await taskIn(client, id, 'TASK_STATE_COMPLETED');
      expect(task.artifacts?.[0]?.parts).toMatchObject([{ data: { valid: true } }]);
    },
    TIMEOUT_MS,
  );
});
