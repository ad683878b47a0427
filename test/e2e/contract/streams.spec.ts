import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { StreamWriter, type WrittenStream } from '../../../src/http/sse/stream-writer.js';
import { DialectClient } from '../../kit/callers/dialect-client.js';
import { RestClient } from '../../kit/callers/rest-client.js';
import { aMessage } from '../../kit/callers/rpc-client.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';
import { framesOf } from '../../kit/callers/sse-text.js';

const NO_TASK = '00000000-0000-4000-8000-000000000000';

let running: RunningApp;

describe('streams', () => {
  beforeAll(async () => {
    running = await runApp();
  });

  afterAll(async () => {
    await running.close();
  });

  describe('a call for a stream that cannot begin', () => {
    it.each([
      ['1.0', 'SubscribeToTask'],
      ['0.3', 'tasks/resubscribe'],
      ['0.2', 'tasks/resubscribe'],
      ['0.1', 'tasks/resubscribe'],
    ])('is answered with JSON to callers of %s (TRAP-57, A2A-STRM-12, A2A-STRM-09)', async (version, method) => {
      const client = new DialectClient(running.url, { 'a2a-version': version });
      const response = await client.open(method, { id: NO_TASK });
      expect(response.headers.get('content-type')).toContain('application/json');
      expect(await response.json()).toMatchObject({ id: 7, error: { code: -32001 } });
    });

    it.each([
      ['1.0', 'SubscribeToTask', { id: NO_TASK }, -32001],
      ['1.0', 'SendStreamingMessage', { message: {} }, -32602],
      ['0.3', 'tasks/resubscribe', { id: NO_TASK }, -32001],
      ['0.3', 'message/stream', { message: {} }, -32602],
      ['0.2', 'tasks/resubscribe', { id: NO_TASK }, -32001],
      ['0.1', 'tasks/resubscribe', { id: NO_TASK }, -32001],
    ])(
      'is answered with one event to callers of %s that take nothing else (F5): %s',
      async (version, method, params, code) => {
        const client = new DialectClient(running.url, { 'a2a-version': version, accept: 'text/event-stream' });
        const response = await client.open(method, params);
        expect([response.status, response.headers.get('content-type')]).toEqual([
          200,
          'text/event-stream; charset=utf-8',
        ]);
        const [frame, ...more] = framesOf(await response.text());
        expect(JSON.parse(frame?.data ?? '')).toMatchObject({ jsonrpc: '2.0', id: 7, error: { code } });
        expect(more).toEqual([]);
      },
    );

    it.each(['text/event-stream, application/json', 'application/json', '*/*', 'text/event-streams'])(
      'is answered with JSON to callers that accept %s (A2A-STRM-12)',
      async (accept) => {
        const client = new DialectClient(running.url, { accept });
        const response = await client.open('tasks/resubscribe', { id: NO_TASK });
        expect(response.headers.get('content-type')).toContain('application/json');
      },
    );

    it('leaves the answers of calls that want no stream as they are', async () => {
      const client = new DialectClient(running.url, { accept: 'text/event-stream' });
      const response = await client.open('tasks/get', { id: NO_TASK });
      expect(response.headers.get('content-type')).toContain('application/json');
    });

    it.each([
      ['1.0', '', 'application/a2a+json'],
      ['0.3', '/v1', 'application/json'],
    ])('is answered with JSON and 404 to callers of REST %s (TRAP-57)', async (version, prefix, type) => {
      const client = new RestClient(running.url, { 'a2a-version': version });
      const response = await client.open('GET', `${prefix}/tasks/${NO_TASK}:subscribe`);
      expect([response.status, response.headers.get('content-type')]).toEqual([404, expect.stringContaining(type)]);
    });
  });

  describe('a stream that breaks', () => {
    /** Lets the next stream fail after its first event, as a fault of the store would. */
    function breakTheNextStream(): void {
      const writer = running.app.get(StreamWriter, { strict: false });
      const write = writer.write.bind(writer);
      jest.spyOn(writer, 'write').mockImplementationOnce(async (raw, stream) => {
        let given = 0;
        const events: WrittenStream<unknown>['events'] = {
          next: async () => {
            given += 1;
            if (given > 1) throw new Error('secret of the store');
            return stream.events.next();
          },
        };
        return write(raw, { ...stream, events });
      });
    }

    it.each(['1.0', '0.3'])(
      'ends with the error as plain data for callers of %s (TRAP-70, A2A-STRM-14)',
      async (version) => {
        breakTheNextStream();
        const method = version === '1.0' ? 'SendStreamingMessage' : 'message/stream';
        const { message } = aMessage('x', { skillId: 'echo' });
        const params = version === '1.0' ? { message } : { message: { ...message, role: 'user', kind: 'message' } };
        const client = new DialectClient(running.url, { 'a2a-version': version });
        const text = await (await client.open(method, params)).text();
        const [first, last] = text.trim().split('\n\n');
        expect(first).toMatch(/^id: .*\ndata: .*"result"/);
        expect(last).toMatch(/^data: .*"error":\{"code":-32603/);
        expect(text).not.toMatch(/^event:|secret/m);
      },
    );
  });
});
