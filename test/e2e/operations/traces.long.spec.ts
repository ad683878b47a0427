import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { ServiceProcess } from '../../kit/app/service-process.mjs';
import { freeLoopbackPort } from '../../../src/platform/redis/embedded/free-port.js';
import { answer, Receiver } from '../../integration/webhooks/receiver.js';
import { TestIssuer } from '../../kit/auth/test-issuer.js';
import { eventually } from '../../kit/run/eventually.js';
import { GrpcClient } from '../../kit/callers/grpc-client.js';
import { anInvoice } from '../../kit/invoice/an-invoice.js';
import { OtlpCollector, type ReceivedSpan } from '../../kit/stubs/otlp-collector.js';
import { testRedisUrl } from '../../kit/redis/shared-redis.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';

const TIMEOUT_MS = 90_000;
const CALLER_SPAN = 'b7ad6b7169203331';
const AUDIENCE = 'https://agent.example/a2a';

const collector = new OtlpCollector();
const receiver = new Receiver();
const services: ServiceProcess[] = [];
let issuer: TestIssuer;
let shared: Record<string, string>;
let api: ServiceProcess;
let worker: ServiceProcess;
let dispatcher: ServiceProcess;

beforeAll(async () => {
  await Promise.all([collector.listen(), receiver.listen()]);
  issuer = await TestIssuer.start();
  shared = {
    REDIS_URL: testRedisUrl(),
    KEY_PREFIX: `test-${randomUUID()}`,
    LOG_LEVEL: 'info',
    DRAIN_MS: '0',
    SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    EGRESS_ALLOW: `${receiver.host}=127.0.0.1/32!http`,
    JWT_ISSUER: issuer.url,
    JWT_AUDIENCE: AUDIENCE,
    JWT_TENANT: 'acme',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_SERVICE_NAME: 'agent',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_BSP_SCHEDULE_DELAY: '100',
  };
  shared.GRPC_PORT = String(await freeLoopbackPort());
  api = run({ ...shared, ROLE: 'api' });
  worker = run({ ...shared, ROLE: 'worker' });
  dispatcher = run({ ...shared, ROLE: 'dispatcher' });
  await Promise.all(services.map((service) => service.ready()));
}, TIMEOUT_MS);

afterAll(async () => {
  await Promise.all(services.map((service) => service.stop('SIGKILL')));
  await Promise.all([issuer.stop(), receiver.close()]);
  collector.close();
}, TIMEOUT_MS);

function run(variables: Record<string, string>): ServiceProcess {
  const service = new ServiceProcess(variables);
  services.push(service);
  return service;
}

function bearer(): string {
  return `Bearer ${issuer.token({ scope: 'a2a:message.send a2a:tasks.read a2a:push.write' })}`;
}

/** Sends a call as a caller does who records traces itself, and gives the id of its trace. */
async function send(params: object, flags = '01'): Promise<string> {
  const traceId = randomBytes(16).toString('hex');
  const client = new RpcClient(await api.ready());
  const response = await client.post(
    { jsonrpc: '2.0', id: 1, method: 'SendMessage', params },
    {
      authorization: bearer(),
      traceparent: `00-${traceId}-${CALLER_SPAN}-${flags}`,
      tracestate: 'vendor=1',
      baggage: 'customer=secret',
      'x-request-id': `request-${traceId}`,
    },
  );
  const body = (await response.json()) as { error?: unknown };
  expect(body.error).toBeUndefined();
  expect(response.headers.get('x-request-id')).toBe(`request-${traceId}`);
  return traceId;
}

function invoiceWithWebhook(): object {
  const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ data: anInvoice() }] };
  return {
    message: { ...message, metadata: { skillId: 'validate_invoice' } },
    configuration: { taskPushNotificationConfig: { url: receiver.url } },
  };
}

interface LogLine {
  readonly event?: string;
  readonly trace_id?: string;
  readonly span_id?: string;
  readonly [field: string]: unknown;
}

/** Lines of one kind in a service's log. */
function logged({ output }: ServiceProcess, event: string): readonly LogLine[] {
  return output
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as LogLine)
    .filter((line) => line.event === event);
}

function only(spans: readonly ReceivedSpan[], name: string): ReceivedSpan {
  const found = spans.filter((span) => span.name === name);
  const [span] = found;
  if (span === undefined || found.length > 1) throw new Error(`${String(found.length)} spans are named ${name}`);
  return span;
}

function under(spans: readonly ReceivedSpan[], parent: ReceivedSpan, name: string): readonly ReceivedSpan[] {
  return spans.filter((span) => span.parentSpanId === parent.spanId && span.name === name);
}

describe('one trace of a call', () => {
  let spans: readonly ReceivedSpan[];
  let traceId: string;
  let sending: ReceivedSpan;
  let running: ReceivedSpan;

  beforeAll(async () => {
    receiver.behave = (request, response) => {
      answer(receiver.received.length === 1 ? 503 : 204)(request, response);
    };
    traceId = await send(invoiceWithWebhook());
    await eventually(() => expect(receiver.states.at(-1)).toBe('TASK_STATE_COMPLETED'), { timeoutMs: 20_000 });
    await eventually(() => {
      spans = collector.trace(traceId);
      expect(spans.filter(({ name }) => name === 'process pushes')).toHaveLength(receiver.received.length);
      only(spans, 'A2A/SendMessage');
    });
    sending = only(spans, 'send runs');
    running = only(spans, 'process runs');
  }, TIMEOUT_MS);

  it('continues from the caller with the call itself, whoever takes it', () => {
    const call = only(spans, 'A2A/SendMessage');
    expect(call).toMatchObject({ parentSpanId: CALLER_SPAN, kind: 'server', traceState: 'vendor=1', failed: false });
    expect(call.service).toMatchObject({
      'service.name': 'agent',
      'parley.role': 'api',
      'deployment.environment.name': 'test',
    });
    expect(call.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.response.status_code': 200,
      'rpc.system.name': 'jsonrpc',
      'rpc.method': 'A2A/SendMessage',
      'rpc.response.status_code': 'ok',
      'a2a.protocol.version': '1.0',
      'a2a.request.id': `request-${traceId}`,
    });
    expect(call.attributes['a2a.task.id']).toBe(running.attributes['a2a.task.id']);
  });

  it('shows the keys of the issuer being fetched', () => {
    const fetches = under(spans, only(spans, 'A2A/SendMessage'), 'GET');
    expect(fetches.length).toBeGreaterThan(0);
    for (const { kind, attributes } of fetches) {
      expect(kind).toBe('client');
      expect(attributes).toMatchObject({ 'server.address': 'localhost', 'http.response.status_code': 200 });
    }
  });

  it('goes through commit and queue', () => {
    expect(sending).toMatchObject({ parentSpanId: only(spans, 'A2A/SendMessage').spanId, kind: 'producer' });
    expect(sending.attributes).toMatchObject({ 'messaging.system': 'bullmq', 'messaging.destination.name': 'runs' });
    const [create] = under(spans, sending, 'EVALSHA begin');
    expect(create).toMatchObject({ kind: 'client', attributes: { 'db.system.name': 'redis' } });
  });

  it('goes on in the worker, with the steps of the skill', () => {
    expect(running).toMatchObject({ parentSpanId: sending.spanId, kind: 'consumer', links: [], failed: false });
    expect(running.service['parley.role']).toBe('worker');
    expect(running.attributes).toMatchObject({
      'a2a.skill.id': 'validate_invoice',
      'a2a.turn': 1,
      'a2a.attempt': 1,
      'a2a.run.ending': 'committed',
      'messaging.operation.type': 'process',
    });
    const steps = under(spans, running, 'skill.step');
    expect(steps.map(({ attributes }) => attributes['a2a.step.name'])).toContain('validate-invoice');
    for (const step of steps) expect(under(spans, step, 'EVALSHA set-fields')).toHaveLength(1);
    expect(under(spans, running, 'EVALSHA commit').length).toBeGreaterThan(0);
  });

  it('reaches the receiver of each webhook, and names the attempt before where there was one (SEED-70)', () => {
    const attempts = under(spans, sending, 'process pushes');
    expect(attempts).toHaveLength(receiver.received.length);
    for (const { service, kind } of attempts) {
      expect(kind).toBe('consumer');
      expect(service['parley.role']).toBe('dispatcher');
    }
    const posts = attempts.flatMap((attempt) => under(spans, attempt, 'POST'));
    const sent = posts.map(({ spanId }) => `00-${traceId}-${spanId}-01`);
    expect(new Set(receiver.received.map(({ headers }) => headers.traceparent))).toEqual(new Set(sent));
    for (const { headers } of receiver.received) {
      expect(headers.tracestate).toBe('vendor=1');
      expect(headers.baggage).toBeUndefined();
    }
    const refused = attempts.find(({ attributes }) => attributes['a2a.push.outcome'] === 'retry');
    const repeated = attempts.find(({ attributes }) => attributes['a2a.attempt'] === 2);
    expect(refused).toMatchObject({ failed: true, links: [], attributes: { 'a2a.attempt': 1 } });
    expect(repeated).toMatchObject({ failed: false, links: [{ traceId, spanId: refused?.spanId }] });
  });

  it('has no span without a place, and names none after an id', () => {
    const known = new Set([CALLER_SPAN, ...spans.map(({ spanId }) => spanId)]);
    expect(spans.filter(({ parentSpanId = '' }) => !known.has(parentSpanId))).toEqual([]);
    expect(spans.filter(({ name }) => /[0-9a-f]{8}/.test(name))).toEqual([]);
    expect(JSON.stringify(spans)).not.toContain('secret');
  });

  it('is named in every log line of it (SEED-64, SEED-70)', () => {
    const taskId = running.attributes['a2a.task.id'];
    const [call] = logged(api, 'rpc.handled').filter((line) => line.trace_id === traceId);
    expect(call).toMatchObject({
      requestId: `request-${traceId}`,
      span_id: only(spans, 'A2A/SendMessage').spanId,
      ...{ taskId, outcome: 'ok', ms: expect.any(Number) },
    });
    const [decided] = logged(api, 'audit').filter((line) => line.trace_id === traceId);
    expect(decided).toMatchObject({ requestId: `request-${traceId}`, taskId, operation: 'SendMessage' });
    const [ran] = logged(worker, 'skill.ran').filter((line) => line.taskId === taskId);
    expect(ran).toMatchObject({ trace_id: traceId, span_id: running.spanId, ending: 'committed' });
    const attempts = logged(dispatcher, 'push.attempted').filter((line) => line.taskId === taskId);
    expect(attempts).toHaveLength(receiver.received.length);
    for (const attempt of attempts) expect(attempt).toMatchObject({ trace_id: traceId, ms: expect.any(Number) });
  });
});

describe('a trace', () => {
  it('continues from a call over gRPC too', async () => {
    const traceId = randomBytes(16).toString('hex');
    const client = new GrpcClient(`127.0.0.1:${shared.GRPC_PORT ?? ''}`, A2AService, {
      'a2a-version': '1.0',
      authorization: bearer(),
      traceparent: `00-${traceId}-${CALLER_SPAN}-01`,
    });
    const parts = [{ content: { $case: 'text', value: 'x' }, filename: '', mediaType: '' }];
    const message = {
      messageId: randomUUID(),
      contextId: '',
      taskId: '',
      role: 1,
      parts,
      metadata: { skillId: 'echo' },
    };
    await client.call('sendMessage', { tenant: '', message: { ...message, extensions: [], referenceTaskIds: [] } });
    client.close();
    await eventually(() => {
      const spans = collector.trace(traceId);
      const call = only(spans, 'A2A/SendMessage');
      expect(call).toMatchObject({ parentSpanId: CALLER_SPAN, kind: 'server' });
      expect(call.attributes).toMatchObject({ 'rpc.system.name': 'grpc', 'rpc.response.status_code': 'ok' });
      expect(only(spans, 'send runs').parentSpanId).toBe(call.spanId);
      expect(only(spans, 'process runs').parentSpanId).toBe(only(spans, 'send runs').spanId);
    });
  });

  it('begins with the call when its caller has none (SEED-70)', async () => {
    const requestId = randomUUID();
    const client = new RpcClient(await api.ready());
    const body = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: aMessage('x', { skillId: 'echo' }) };
    await client.post(body, { authorization: bearer(), 'x-request-id': requestId });
    await eventually(() => {
      const [line] = logged(api, 'rpc.handled').filter((it) => it.requestId === requestId);
      const spans = collector.trace(line?.trace_id ?? '');
      expect(only(spans, 'A2A/SendMessage').spanId).toBe(line?.span_id);
      expect(only(spans, 'process runs').parentSpanId).toBe(only(spans, 'send runs').spanId);
    });
  });

  it('that its caller does not record is passed on and not recorded here either', async () => {
    receiver.received.length = 0;
    receiver.behave = answer(204);
    const traceId = await send(invoiceWithWebhook(), '00');
    await eventually(() => expect(receiver.states.at(-1)).toBe('TASK_STATE_COMPLETED'), { timeoutMs: 20_000 });
    const place = new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`);
    for (const { headers } of receiver.received) expect(headers.traceparent).toMatch(place);
    expect(collector.trace(traceId)).toEqual([]);
  });

  it(
    'links the run that took over from a worker that left, and a worker that leaves sends its last spans',
    async () => {
      const message = aMessage('60', { skillId: 'countdown' });
      const traceId = await send({ ...message, configuration: { returnImmediately: true } });
      /** Ids of the runs that have committed something, whether they have ended or not. */
      const committing = (): (string | undefined)[] => [
        ...new Set(
          collector.trace(traceId).flatMap(({ name, parentSpanId }) => (name === 'EVALSHA commit' ? parentSpanId : [])),
        ),
      ];
      await eventually(() => expect(committing()).toHaveLength(1), { timeoutMs: 10_000 });
      const successor = run({ ...shared, ROLE: 'worker' });
      await successor.ready();
      expect(await worker.stop('SIGTERM')).toBe(0);
      await eventually(() => expect(committing()).toHaveLength(2), { timeoutMs: 10_000 });
      expect(await successor.stop('SIGTERM')).toBe(0);

      const runs = collector.trace(traceId).filter(({ name }) => name === 'process runs');
      expect(runs.map(({ spanId }) => spanId)).toEqual(committing());
      expect(runs.map(({ attributes }) => attributes['a2a.run.ending'])).toEqual(['leaving', 'leaving']);
      expect(runs.map(({ links }) => links)).toMatchObject([[], [{ traceId, spanId: runs[0]?.spanId }]]);
    },
    TIMEOUT_MS,
  );
});

describe('a collector that never answers', () => {
  let silent: Server;

  beforeAll(async () => {
    silent = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
  });

  afterAll(() => {
    silent.close();
  });

  it(
    'costs spans and a line in the log, but no call and no time at the end (FITS-14)',
    async () => {
      const { port } = silent.address() as AddressInfo;
      const service = run({
        ...{ REDIS_URL: testRedisUrl(), KEY_PREFIX: `test-${randomUUID()}`, SECRET_KEYS: shared.SECRET_KEYS ?? '' },
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${String(port)}`,
        OTEL_SEMCONV_STABILITY_OPT_IN: 'gen_ai_latest_experimental',
        ...{ OTEL_BSP_SCHEDULE_DELAY: '50', OTEL_EXPORTER_OTLP_TIMEOUT: '300', OTEL_BSP_EXPORT_TIMEOUT: '300' },
      });
      const client = new RpcClient(await service.ready());
      for (let call = 0; call < 20; call += 1) await client.task('SendMessage', aMessage('x', { skillId: 'echo' }));
      const [line] = await eventually(() => {
        const lines = logged(service, 'traces.not-sent');
        expect(lines).toHaveLength(1);
        return lines;
      });
      expect(line).toHaveProperty('reason');
      const told = Date.now();
      expect(await service.stop('SIGTERM')).toBe(0);
      expect(Date.now() - told).toBeLessThan(8_000);
    },
    TIMEOUT_MS,
  );
});
