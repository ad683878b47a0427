import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ModelFault } from '@parley/sdk/model/model-fault.js';
import type { ModelCallOptions, ModelPort, ModelReply, ModelRequest } from '@parley/sdk/model/model.port.js';
import { ModelDto } from '../../../src/models/file/models-file.dto.js';
import type { RoleEntry } from '../../../src/models/file/models-file.js';
import { ProviderPorts } from '../../../src/models/providers/provider-ports.js';
import { type WireAnswer, WireServer } from '../../kit/models/wire-server.js';
import { REASONING, SIGNATURE, WIRE_VENDORS } from '../../kit/models/wire-vendors.js';

const KEY = 'sk-canary-0123456789';
const TOOLS = [{ name: 'weather', description: 'Tells the weather', parameters: { type: 'object', properties: {} } }];
const REQUEST: ModelRequest = {
  messages: [
    { role: 'system', text: 'Be short.' },
    { role: 'user', text: 'Weather in Oslo?' },
  ],
};
const PIECES = ['It ', 'rains ', 'in Ålesund — “hard”.'];

/** The same for each adapter: what `ModelPort` promises, over the bytes of its provider. */
describe.each(WIRE_VENDORS)('the adapter of $type (LLM-13, LLM-15)', (vendor) => {
  const ports = new ProviderPorts();
  const ownFetch = globalThis.fetch;
  let wire: WireServer;

  beforeAll(async () => {
    wire = await WireServer.start();
    // Whatever goes around our own client fails, and whatever is read from the environment leads nowhere.
    globalThis.fetch = () => Promise.reject(new Error('A request went around the guarded client'));
    for (const name of ['ANTHROPIC_BASE_URL', 'OPENAI_BASE_URL', 'AWS_ENDPOINT_URL'])
      process.env[name] = 'http://127.0.0.1:9';
  });

  afterAll(async () => {
    globalThis.fetch = ownFetch;
    for (const name of ['ANTHROPIC_BASE_URL', 'OPENAI_BASE_URL', 'AWS_ENDPOINT_URL'])
      Reflect.deleteProperty(process.env, name);
    await ports.close();
    await wire.close();
  });

  const portOf = (times: Partial<RoleEntry> = {}): ModelPort => {
    const { firstMs, idleMs, totalMs } = new ModelDto();
    const provider = { name: 'a', type: vendor.type, url: `${wire.url}${vendor.path}`, awsRegion: 'eu-central-1' };
    return ports.portOf({ name: 'role', id: 'm', provider, firstMs, idleMs, totalMs, ...times }, () => KEY);
  };
  const ask = (
    answer: WireAnswer,
    request: ModelRequest = REQUEST,
    { times, ...options }: Partial<ModelCallOptions> & { times?: Partial<RoleEntry> } = {},
  ): Promise<ModelReply> => {
    wire.says(answer);
    const call = { signal: new AbortController().signal, idempotencyKey: 'k', onText: () => undefined };
    return portOf(times).complete(request, { ...call, ...options });
  };
  const stream = (body: Buffer, more: Partial<WireAnswer> = {}): WireAnswer => ({
    ...{ headers: { 'content-type': vendor.contentType }, body, ...more },
  });
  const faultOf = async (asked: Promise<unknown>): Promise<ModelFault> => {
    const fault = await asked.then(
      () => undefined,
      (error: unknown) => error,
    );
    if (!(fault instanceof ModelFault)) throw new Error('It is no ModelFault', { cause: fault });
    return fault;
  };

  it('makes one request, and streams the answer', async () => {
    const pieces: string[] = [];
    const sockets = wire.sockets.length;
    const reply = await ask(stream(vendor.text(PIECES)), REQUEST, { onText: (piece) => pieces.push(piece) });
    expect(reply).toMatchObject({ text: PIECES.join(''), toolCalls: [], finish: 'stop' });
    expect(reply.usage).toMatchObject({ input: 100, output: 7, cached: 80 });
    expect(pieces).toEqual(PIECES);
    expect(wire.requests).toHaveLength(1);
    expect(wire.sockets.length - sockets).toBeLessThanOrEqual(1);
    const [request] = wire.requests;
    expect(request?.headers[vendor.keyHeader]).toContain(KEY);
    expect(request?.headers['user-agent'] ?? '').not.toContain('ai-sdk');
    expect(request?.body).toContain('Weather in Oslo?');
    expect(request?.path.startsWith(vendor.path)).toBe(true);
  });

  it('reads calls of tools, and sends signed reasoning back byte for byte (LLM-29)', async () => {
    const reply = await ask(stream(vendor.call), { ...REQUEST, tools: TOOLS });
    expect(reply).toMatchObject({ finish: 'tools', text: '' });
    expect(reply.toolCalls).toMatchObject([{ name: 'weather', arguments: { city: 'Oslo' } }]);
    const { text, toolCalls, opaque = [] } = JSON.parse(JSON.stringify(reply)) as ModelReply;
    const [call] = toolCalls;
    const messages: ModelRequest['messages'] = [
      ...REQUEST.messages,
      { role: 'assistant', text, toolCalls, opaque },
      { role: 'tool', callId: call?.id ?? '', name: 'weather', text: 'rain' },
    ];
    await ask(stream(vendor.text(PIECES)), { messages, tools: TOOLS });
    const sent = wire.requests[0]?.body ?? '';
    expect(sent).toContain(JSON.stringify(SIGNATURE));
    if (vendor.type !== 'google') expect(sent).toContain(JSON.stringify(REASONING));
    const foreign = messages.map((message) =>
      message.role === 'assistant' ? { ...message, opaque: opaque.map((one) => ({ ...one, of: 'other/m' })) } : message,
    );
    await ask(stream(vendor.text(PIECES)), { messages: foreign, tools: TOOLS });
    expect(wire.requests[0]?.body).not.toContain(SIGNATURE);
  });

  it('gives the whole answer or none, wherever its stream ends', async () => {
    for (const body of [vendor.text(PIECES), vendor.call]) {
      const whole = await ask(stream(body), { ...REQUEST, tools: TOOLS });
      const wrong: unknown[] = [];
      for (let length = 0; length < body.length; length += 1) {
        const asked = ask(stream(body.subarray(0, length), { isBroken: length % 7 === 3 }), {
          ...REQUEST,
          tools: TOOLS,
        });
        await asked.then(
          ({ text, toolCalls, finish }) => {
            const isWhole = text === whole.text && finish === whole.finish;
            if (!isWhole || toolCalls.length !== whole.toolCalls.length) wrong.push([length, text, finish]);
          },
          (error: unknown) => {
            const kind = error instanceof ModelFault ? error.kind : error;
            if (kind !== 'unavailable') wrong.push([length, kind, String(error)]);
          },
        );
      }
      expect(wrong).toEqual([]);
    }
  }, 120_000);

  it.each([
    [400, 'refused'],
    [401, 'refused'],
    [403, 'refused'],
    [404, 'refused'],
    [408, 'unavailable'],
    [413, 'too-long'],
    [422, 'refused'],
    [429, 'rate'],
    [500, 'unavailable'],
    [503, 'unavailable'],
    [529, 'rate'],
  ])('repeats nothing after %d, and says what it means', async (status, kind) => {
    const headers = { 'content-type': 'application/json', 'retry-after': '3' };
    const fault = await faultOf(ask({ status, headers, body: vendor.refusal('no, says the server') }));
    expect(fault.kind).toBe(kind);
    expect(wire.requests).toHaveLength(1);
    if (kind === 'rate') expect(fault.retryAfterMs).toBe(3_000);
    expect(fault.message).toContain('no, says the server');
  });

  it('keeps key, request and answer out of its errors (LLM-23)', async () => {
    const answers = [
      { status: 401, headers: { 'content-type': 'application/json' }, body: vendor.refusal('no') },
      stream(vendor.broken),
      { headers: { 'content-type': 'text/html' }, body: '<html>' },
    ];
    for (const answer of answers) {
      const fault = await faultOf(ask(answer));
      const seen = new Set<unknown>();
      const text = JSON.stringify(fault, (_name, value: unknown) =>
        seen.has(value) ? undefined : (seen.add(value), value),
      );
      expect(`${text} ${fault.stack ?? ''} ${String(fault.cause)}`).not.toMatch(/sk-canary|Weather in Oslo|It /);
    }
  });

  it('takes an error within an answer for no answer', async () => {
    expect((await faultOf(ask(stream(vendor.broken)))).kind).toBe('unavailable');
  });

  it('closes its connection when it is aborted', async () => {
    const stop = new AbortController();
    wire.says(stream(vendor.text(PIECES).subarray(0, 400), { isOpen: true }));
    const call = { signal: stop.signal, idempotencyKey: 'k', onText: () => undefined };
    const asked = portOf().complete(REQUEST, call);
    while (wire.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const began = performance.now();
    stop.abort(new Error('canceled'));
    await expect(asked).rejects.toThrow('canceled');
    const closed = await wire.requests[0]?.closed;
    expect((closed ?? Infinity) - began).toBeLessThan(1_000);
  });

  it('stops waiting for a first piece, and between two of them (LLM-20)', async () => {
    const silent = await faultOf(ask(stream(Buffer.alloc(0), { isOpen: true }), REQUEST, { times: { firstMs: 60 } }));
    expect(silent.kind).toBe('unavailable');
    const begun = stream(vendor.text(PIECES).subarray(0, 200), { isOpen: true });
    expect((await faultOf(ask(begun, REQUEST, { times: { idleMs: 60 } }))).kind).toBe('unavailable');
    expect((await faultOf(ask(begun, REQUEST, { times: { totalMs: 60 } }))).kind).toBe('unavailable');
  }, 20_000);

  it('refuses an answer without an end', async () => {
    const endless = vendor.text(Array.from({ length: 40 }, () => 'x'.repeat(262_144)));
    expect((await faultOf(ask(stream(endless)))).kind).toBe('malformed');
  }, 60_000);

  it('follows no redirect, and calls no metadata address', async () => {
    const elsewhere = await WireServer.start();
    const fault = await faultOf(
      ask({ status: 307, headers: { location: elsewhere.url }, body: vendor.refusal('there') }),
    );
    expect(fault.kind).toBe('refused');
    expect(elsewhere.requests).toHaveLength(0);
    await elsewhere.close();
    const provider = { name: 'a', type: vendor.type, url: 'http://169.254.169.254/v1', awsRegion: 'eu' };
    const port = ports.portOf({ ...new ModelDto(), name: 'role', id: 'm', provider }, () => KEY);
    const call = { signal: new AbortController().signal, idempotencyKey: 'k', onText: () => undefined };
    expect((await faultOf(port.complete(REQUEST, call))).kind).toBe('refused');
  });
});
