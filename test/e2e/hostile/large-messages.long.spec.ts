// Before the SDK, which loads the protobuf runtime: the service does not have it.
import '../../../src/http/grpc/schema/native-base64.js';
import { randomUUID } from 'node:crypto';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { GrpcClient } from '../../kit/callers/grpc-client.js';
import { loopDelayOf } from '../../kit/hostile/loop-delay.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';

jest.setTimeout(60_000);

const MIB = 1_048_576;
/** Of the processor, for one turn of the loop of a process that is client, API and worker in one. */
const MAX_MS = 300;
const ROUNDS = 3;

interface GrpcContent {
  readonly $case: 'text' | 'raw' | 'data';
  readonly value: unknown;
}

interface Giant {
  readonly name: string;
  readonly part: object;
  readonly content: GrpcContent;
  /** Whether it is accepted; if not, it is refused with an error. */
  readonly isStored: boolean;
}

const bytes = Buffer.alloc(6 * MIB, 7);
const text = 'x'.repeat(8 * MIB);
const deep: unknown = JSON.parse(`${'['.repeat(50)}"${text}"${']'.repeat(50)}`);
const GIANTS: readonly Giant[] = [
  {
    name: 'a file of 8 MiB in base64',
    part: { raw: bytes.toString('base64'), mediaType: 'application/octet-stream' },
    content: { $case: 'raw', value: bytes },
    isStored: true,
  },
  { name: 'a text of 8 MiB', part: { text }, content: { $case: 'text', value: text }, isStored: false },
  { name: 'nested data of 8 MiB', part: { data: deep }, content: { $case: 'data', value: deep }, isStored: false },
];

let service: RunningApp;
let grpc: GrpcClient;
const figures: string[] = [];

beforeAll(async () => {
  service = await runApp({ GRPC_PORT: '0' });
  grpc = new GrpcClient(service.grpc ?? '', A2AService, { 'a2a-version': '1.0' });
  const small: Giant = { name: '', part: { text: 'warm' }, content: { $case: 'text', value: 'warm' }, isStored: true };
  for (const send of Object.values(DOORS)) await send(small)();
});

afterAll(async () => {
  grpc.close();
  await service.close();
  process.stdout.write(`${figures.join('\n')}\n`);
});

const metadata = { skillId: 'echo' };

/** Sends; returns the error in the answer, empty if there is none. */
type Send = () => Promise<string>;

function post(path: string, body: object): Send {
  const sent = JSON.stringify(body);
  return async () => {
    const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' };
    const answer = await fetch(service.url + path, { method: 'POST', headers, body: sent });
    const begin = (await answer.text()).slice(0, 300);
    return begin.includes('"error":') ? begin : '';
  };
}

function paramsOf({ part }: Giant): object {
  const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [part], metadata };
  return { message, configuration: { returnImmediately: true, historyLength: 0 } };
}

/** What is made of a message before it is measured is the client's; the rest, reading the answer too, is measured. */
const DOORS: Readonly<Record<string, (giant: Giant) => Send>> = {
  'JSON-RPC': (giant) => post('/', { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: paramsOf(giant) }),
  'HTTP+JSON': (giant) => post('/message:send', paramsOf(giant)),
  gRPC: ({ content }) => {
    const parts = [{ content, filename: '', mediaType: '' }];
    const message = { messageId: randomUUID(), contextId: '', taskId: '', role: 1, parts, metadata };
    const configuration = { acceptedOutputModes: [], returnImmediately: true, historyLength: 0 };
    const request = { tenant: '', message: { ...message, extensions: [], referenceTaskIds: [] }, configuration };
    return () =>
      grpc.call('sendMessage', request).then(
        () => '',
        (error: unknown) => String(error),
      );
  },
};

describe.each(Object.entries(DOORS))('one message of 8 MiB over %s', (door, send) => {
  it.each(GIANTS)('holds the event loop no longer than a moment: $name (I12)', async (giant) => {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const { result, longestMs } = await loopDelayOf(send(giant));
      expect(result).toEqual(giant.isStored ? '' : expect.stringMatching(/./));
      times.push(Math.round(longestMs));
    }
    figures.push(`${door}, ${giant.name}: ${times.join(', ')} ms`);
    expect(Math.min(...times)).toBeLessThan(MAX_MS);
  });
});
