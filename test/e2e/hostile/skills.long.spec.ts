import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '../../kit/run/eventually.js';
import { hostileTexts } from '../../kit/hostile/texts.js';
import { bombPdf } from '../../kit/invoice/hostile-pdfs.js';
import { block, writePdf } from '../../kit/invoice/pdf-writer.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { ServiceProcess } from '../../kit/app/service-process.mjs';

jest.setTimeout(240_000);

/** Processor time that the event loop may take for other work before it answers: a busy machine takes nothing from it. */
const LONGEST_MS = 1_000;
const PROBE_EVERY_MS = 20;

let dataDir: string;
let service: ServiceProcess;
let url: string;
let client: RpcClient;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'parley-hostile-'));
  service = new ServiceProcess({ DATA_DIR: dataDir });
  url = await service.ready();
  client = new RpcClient(url);
  // The language model and the reading thread are loaded once in a process: 120 ms, on the first summary and document.
  for (const skillId of ['summarize_text', 'extract_invoice_data'])
    await outcomeOf({ skillId, parts: [{ text: 'Warm up. 1\n2\n3' }] });
});

afterAll(async () => {
  await service.stop('SIGKILL');
  await rm(dataDir, { recursive: true, force: true });
});

/** Asks the service all the time while work is done: the processor time of its event loop until it answers, at most. */
async function longestProbe<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly longestMs: number }> {
  const state = { isOver: false };
  const probing = (async () => {
    let longestMs = 0;
    while (!state.isOver) {
      const before = loopMs();
      await (await fetch(`${url}/health/live`)).text();
      longestMs = Math.max(longestMs, loopMs() - before);
      await new Promise((resolve) => setTimeout(resolve, PROBE_EVERY_MS));
    }
    return longestMs;
  })();
  const result = await work().finally(() => {
    state.isOver = true;
  });
  return { result, longestMs: await probing };
}

/** Processor time of the thread that is the event loop of the service, ms. */
function loopMs(): number {
  const pid = String(service.child.pid);
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6;
}

interface Sent {
  readonly skillId: string;
  readonly parts: readonly object[];
}

/** Sends a message and waits for its end: the state and the last words of the task, or the error of the call. */
async function outcomeOf({ skillId, parts }: Sent): Promise<string> {
  const { result, error } = await client.call('SendMessage', {
    ...aMessage('', { skillId, parts }),
    configuration: { returnImmediately: true },
  });
  if (error !== undefined) return `refused: ${error.message}`;
  const { id } = (result as { task: { id: string } }).task;
  return eventually(
    async () => {
      const { status } = await client.task('GetTask', { id });
      if (/SUBMITTED|WORKING/.test(status.state)) throw new Error(`still ${status.state}`);
      return `${status.state}: ${JSON.stringify(status.message?.parts ?? [])}`;
    },
    { timeoutMs: 120_000 },
  );
}

const raw = (bytes: Uint8Array | string, mediaType: string): object => ({
  raw: Buffer.from(bytes).toString('base64'),
  mediaType,
});

const SUMS = Array.from({ length: 55 }, (_, at) => [
  `Net total: ${String(at)}.13`,
  'VAT: 7.77',
  `Total: ${String(at)}.99`,
]);

const DOCUMENTS: readonly (readonly [string, () => Promise<object> | object])[] = [
  ['a decompression bomb', async () => raw(await bombPdf(), 'application/pdf')],
  [
    'printed sums that never fit',
    async () =>
      raw(
        await writePdf(
          Array.from({ length: 60 }, (_, at) =>
            block(40, 40, [`Invoice No: A-${String(at)}`, ...(SUMS[at % 55] ?? []), ...SUMS.flat().slice(0, 55)]),
          ),
        ),
        'application/pdf',
      ),
  ],
  ['nested JSON', () => raw('['.repeat(3_000_000), 'application/json')],
  [
    'a million members',
    () => raw(`{${Array.from({ length: 400_000 }, (_, at) => `"k${String(at)}":1`).join()}}`, 'application/json'),
  ],
  ['two hundred thousand elements', () => raw(`<Invoice>${'<a/>'.repeat(900_000)}</Invoice>`, 'application/xml')],
  ['XML without an end', () => raw('<a>'.repeat(1_000_000), 'application/xml')],
  [
    'a data part of lines',
    () => ({ data: { number: '1', vendor: 'a', total: 1, items: Array.from({ length: 20_000 }, () => ({})) } }),
  ],
  ['a long text', () => ({ text: 'Total 1,234.56\n'.repeat(20_000) })],
];

describe('hostile input to the skills that come with the service', () => {
  it.each(hostileTexts(200_000))('is summarized or refused, and nobody waits: %s', async (_, text) => {
    const sent = { skillId: 'summarize_text', parts: [{ text }] };
    const { result, longestMs } = await longestProbe(() => outcomeOf(sent));
    expect(result).toMatch(/^TASK_STATE_(COMPLETED|REJECTED): /);
    expect(longestMs).toBeLessThan(LONGEST_MS);
  });

  it.each(DOCUMENTS)('is read or refused, and nobody waits: %s', async (_, make) => {
    const part = await make();
    for (const skillId of ['extract_invoice_data', 'validate_invoice', 'approve_payment']) {
      const { result, longestMs } = await longestProbe(() => outcomeOf({ skillId, parts: [part] }));
      expect(result).toMatch(/^(TASK_STATE_(COMPLETED|REJECTED|INPUT_REQUIRED): .*\w{4}|refused: )/);
      expect(longestMs).toBeLessThan(LONGEST_MS);
    }
  });

  it.each([
    ['echo', [{ text: 'a'.repeat(900_000) }]],
    ['echo', [{ data: Array.from({ length: 100_000 }, (_, at) => at) }]],
    [
      'summarize_text',
      [{ data: Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`k${String(at)}`, at])) }],
    ],
    ['countdown', [{ text: `0 ${'9'.repeat(900_000)}` }]],
  ])('is answered by %s, and nobody waits', async (skillId, parts) => {
    const { result, longestMs } = await longestProbe(() => outcomeOf({ skillId, parts }));
    expect(result).toMatch(/^(TASK_STATE_COMPLETED|refused: )/);
    expect(longestMs).toBeLessThan(LONGEST_MS);
  });

  it('holds nobody up when ten hostile texts and documents come at once', async () => {
    const [, text] = hostileTexts(200_000)[1] ?? ['', ''];
    const document = raw('['.repeat(3_000_000), 'application/json');
    const sent = Array.from({ length: 10 }, (_, at) =>
      at % 2 === 0
        ? { skillId: 'summarize_text', parts: [{ text }] }
        : { skillId: 'extract_invoice_data', parts: [document] },
    );
    const { result, longestMs } = await longestProbe(() => Promise.all(sent.map(outcomeOf)));
    expect(result).toHaveLength(10);
    expect(longestMs).toBeLessThan(LONGEST_MS);
  });
});
