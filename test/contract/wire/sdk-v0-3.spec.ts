import {
  Message,
  SendMessageRequest,
  StreamResponse,
  Task,
  TaskPushNotificationConfig,
  type AgentCard as SdkCard,
} from '@a2a-js/sdk';
import { LegacyJsonRpcTransport, LegacyRestTransport, parseLegacyAgentCard } from '@a2a-js/sdk/compat/v0_3/client';
import { describe, expect, it } from '@jest/globals';
import { taskNotFound } from '@parley/protocol/model/errors.js';
import { Json } from '@parley/protocol/model/json.js';
import type { UnaryOperation } from '@parley/protocol/model/operations.js';
import { isStreaming } from '@parley/protocol/model/operations.js';
import { hybridCard } from '@parley/protocol/card/hybrid-card.js';
import { dialectOf, dialectOfTask } from '@parley/protocol/versions/dialect.js';
import { readRpcRequest, rpcErrorText, rpcResultText } from '@parley/protocol/binding/rpc-envelope.js';
import { decodeRestV03, encodeRestEventV03, encodeRestV03, restErrorV03 } from '@parley/protocol/v0_3/rest/codec.js';

const timestamp = '2026-01-01T00:00:00.000Z';
const task = {
  id: 't1',
  contextId: 'c1',
  status: {
    state: 'TASK_STATE_CANCELED',
    timestamp,
    message: { messageId: 'm2', contextId: 'c1', taskId: 't1', role: 'ROLE_AGENT', parts: [{ text: 'bye' }] },
  },
  artifacts: [
    {
      artifactId: 'a1',
      name: 'n',
      parts: [
        { raw: 'QQ==', filename: 'a.png', mediaType: 'image/png' },
        { url: 'https://x.example' },
        { data: { n: 1 } },
      ],
    },
  ],
  metadata: { k: 'v' },
};
const statusUpdate = { taskId: 't1', contextId: 'c1', status: { state: 'TASK_STATE_COMPLETED', timestamp } };
const artifactUpdate = {
  taskId: 't1',
  contextId: 'c1',
  artifact: { artifactId: 'a1', parts: [{ text: 'chunk' }] },
  append: true,
  lastChunk: true,
};
const events = [{ task }, { artifactUpdate }, { statusUpdate }];
const config = { id: 'p1', taskId: 't1', url: 'https://hook.example', authentication: { scheme: 'Bearer' } };
const request = {
  message: {
    messageId: 'm1',
    contextId: 'c1',
    role: 'ROLE_USER',
    parts: [{ text: 'hi' }, { raw: 'QQ==', mediaType: 'image/png' }, { data: { n: 1 } }],
  },
  configuration: { acceptedOutputModes: ['text/plain'], returnImmediately: true, historyLength: 2 },
};

/** What the v1 operations behind the fake service saw and answer. */
interface Seen {
  operation?: string;
  params?: unknown;
}

const ANSWERS: Readonly<Partial<Record<string, unknown>>> = {
  SendMessage: { task },
  GetTask: task,
  CancelTask: task,
  CreateTaskPushNotificationConfig: config,
  GetTaskPushNotificationConfig: config,
  ListTaskPushNotificationConfigs: { configs: [config], nextPageToken: '' },
  DeleteTaskPushNotificationConfig: {},
};

function answer(text: string, contentType = 'application/json', status = 200): Promise<Response> {
  return Promise.resolve(new Response(text, { status, headers: { 'content-type': contentType } }));
}

function bodyOf(init: RequestInit | undefined): string | undefined {
  return typeof init?.body === 'string' && init.body !== '' ? init.body : undefined;
}

function sse(texts: readonly string[]): Promise<Response> {
  return answer(texts.map((text) => `data: ${text}\n\n`).join(''), 'text/event-stream');
}

/** The JSON-RPC binding in small: this repository's codecs between the SDK's client and fixed v1 answers. */
function rpcService(seen: Seen): typeof fetch {
  return (_url, init) => {
    const body = bodyOf(init) ?? '';
    const envelope = readRpcRequest(JSON.parse(body), Buffer.from(body));
    if ('error' in envelope) throw envelope.error;
    const { id, method, params } = envelope;
    const call = { method, params };
    const dialect = dialectOf({
      call,
      header: new Headers(init?.headers).get('a2a-version') ?? undefined,
      strict: false,
    });
    if (dialect.kind === 'refused') throw dialect.error;
    const spoken = dialect.kind === 'found' ? dialect.codec : dialectOfTask('0.3');
    expect(spoken.version).toBe('0.3');
    const operation = spoken.operationOf(method, params) ?? 'GetTask';
    seen.operation = operation;
    seen.params = spoken.decodeParams(operation, call);
    if (params?.id === 'missing') return answer(rpcErrorText(id, spoken.encodeError(taskNotFound(), call)));
    if (isStreaming(operation)) {
      const encode = spoken.streamEncoder(operation, call);
      return sse(
        events.flatMap((event) => encode(Json.ofText(JSON.stringify(event)))).map((text) => rpcResultText(id, text)),
      );
    }
    const result = Json.ofText<never>(JSON.stringify(ANSWERS[operation]));
    return answer(rpcResultText(id, spoken.encodeResult(operation, result, call)));
  };
}

const ROUTES: readonly (readonly [string, RegExp, UnaryOperation | 'SendStreamingMessage' | 'SubscribeToTask'])[] = [
  ['POST', /^\/v1\/message:send$/, 'SendMessage'],
  ['POST', /^\/v1\/message:stream$/, 'SendStreamingMessage'],
  ['GET', /^\/v1\/tasks\/([^/:]+)$/, 'GetTask'],
  ['POST', /^\/v1\/tasks\/([^/:]+):cancel$/, 'CancelTask'],
  ['GET', /^\/v1\/tasks\/([^/:]+):subscribe$/, 'SubscribeToTask'],
  ['POST', /^\/v1\/tasks\/([^/:]+):subscribe$/, 'SubscribeToTask'],
  ['POST', /^\/v1\/tasks\/([^/]+)\/pushNotificationConfigs$/, 'CreateTaskPushNotificationConfig'],
  ['GET', /^\/v1\/tasks\/([^/]+)\/pushNotificationConfigs$/, 'ListTaskPushNotificationConfigs'],
  ['GET', /^\/v1\/tasks\/([^/]+)\/pushNotificationConfigs\/([^/]+)$/, 'GetTaskPushNotificationConfig'],
  ['DELETE', /^\/v1\/tasks\/([^/]+)\/pushNotificationConfigs\/([^/]+)$/, 'DeleteTaskPushNotificationConfig'],
];

/** The 0.3 REST binding in small. */
function restService(seen: Seen): typeof fetch {
  return (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const method = init?.method ?? 'GET';
    const route = ROUTES.find(([verb, path]) => verb === method && path.test(url.pathname));
    if (route === undefined) throw new Error(`No route for ${method} ${url.pathname}`);
    const [, path, operation] = route;
    const [, taskId = '', configId = ''] = path.exec(url.pathname) ?? [];
    const text = bodyOf(init);
    const body: unknown = text === undefined ? undefined : JSON.parse(text);
    seen.operation = operation;
    seen.params = decodeRestV03(operation, {
      taskId,
      configId,
      query: Object.fromEntries(url.searchParams),
      body,
      files: 'bytes',
    });
    if (taskId === 'missing') return answer(JSON.stringify(restErrorV03(taskNotFound())), 'application/json', 404);
    if (operation === 'SendStreamingMessage' || operation === 'SubscribeToTask') {
      return sse(events.map((event) => encodeRestEventV03(event as never, 'bytes')));
    }
    return answer(encodeRestV03(operation, ANSWERS[operation] as never, 'bytes'));
  };
}

/** What the reader of each transport loses: the SDK's 0.3 proto has no file name, and its REST reader drops `append`. */
const transports = [
  {
    name: 'JSON-RPC',
    lost: [] as readonly string[],
    open: (seen: Seen) => new LegacyJsonRpcTransport({ endpoint: 'http://a.test/', fetchImpl: rpcService(seen) }),
  },
  {
    name: 'REST',
    lost: ['filename', 'append'] as readonly string[],
    open: (seen: Seen) => new LegacyRestTransport({ endpoint: 'http://a.test', fetchImpl: restService(seen) }),
  },
];

async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const received: T[] = [];
  for await (const event of stream) received.push(event);
  return received;
}

describe.each(transports)('the 0.3 client of @a2a-js/sdk over $name', ({ open, lost }) => {
  const seen: Seen = {};
  const client = open(seen);
  const readable = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value, (key: string, member: unknown) => (lost.includes(key) ? undefined : member)));
  const taskJson = readable(Task.toJSON(Task.fromJSON(task)));
  const configRequest = { tenant: '', taskId: 't1', id: 'p1' };

  it('sends a message and reads the task', async () => {
    const result = await client.sendMessage(SendMessageRequest.fromJSON(request));
    expect(seen.operation).toBe('SendMessage');
    expect(seen.params).toMatchObject(request);
    expect(Task.toJSON(result as Task)).toEqual(taskJson);
  });

  it('reads a direct message', async () => {
    const message = { messageId: 'm2', contextId: 'c1', role: 'ROLE_AGENT', parts: [{ text: 'hi' }] };
    const direct = open({});
    Object.assign(ANSWERS, { SendMessage: { message } });
    const result = await direct.sendMessage(SendMessageRequest.fromJSON(request));
    Object.assign(ANSWERS, { SendMessage: { task } });
    expect(Message.toJSON(result as Message)).toEqual(Message.toJSON(Message.fromJSON(message)));
  });

  it('streams a message and resubscribes', async () => {
    const expected = events.map((event) => readable(StreamResponse.toJSON(StreamResponse.fromJSON(event))));
    const streamed = await all(client.sendMessageStream(SendMessageRequest.fromJSON(request)));
    expect(streamed.map((event) => StreamResponse.toJSON(event))).toEqual(expected);
    const resubscribed = await all(client.resubscribeTask({ tenant: '', id: 't1' }));
    expect(seen).toMatchObject({ operation: 'SubscribeToTask', params: { id: 't1' } });
    expect(resubscribed.map((event) => StreamResponse.toJSON(event))).toEqual(expected);
  });

  it('gets and cancels a task', async () => {
    const got = await client.getTask({ tenant: '', id: 't1', historyLength: 3 });
    expect(seen).toEqual({ operation: 'GetTask', params: { id: 't1', historyLength: 3 } });
    expect(Task.toJSON(got)).toEqual(taskJson);
    const canceled = await client.cancelTask({ tenant: '', id: 't1', metadata: { why: 'late' } });
    expect(seen).toMatchObject({ operation: 'CancelTask', params: { id: 't1' } });
    expect(Task.toJSON(canceled)).toEqual(taskJson);
  });

  it('sets, gets, lists and deletes push configs', async () => {
    const configJson = TaskPushNotificationConfig.toJSON(TaskPushNotificationConfig.fromJSON(config));
    const set = await client.createTaskPushNotificationConfig(TaskPushNotificationConfig.fromJSON(config));
    expect(seen).toEqual({ operation: 'CreateTaskPushNotificationConfig', params: config });
    expect(TaskPushNotificationConfig.toJSON(set)).toEqual(configJson);
    const got = await client.getTaskPushNotificationConfig(configRequest);
    expect(seen).toMatchObject({ params: { taskId: 't1', id: 'p1' } });
    expect(TaskPushNotificationConfig.toJSON(got)).toEqual(configJson);
    const { configs } = await client.listTaskPushNotificationConfig({
      tenant: '',
      taskId: 't1',
      pageSize: 0,
      pageToken: '',
    });
    expect(configs.map((one) => TaskPushNotificationConfig.toJSON(one))).toEqual([configJson]);
    await client.deleteTaskPushNotificationConfig(configRequest);
    expect(seen).toEqual({ operation: 'DeleteTaskPushNotificationConfig', params: { taskId: 't1', id: 'p1' } });
  });

  it('knows the error by its code', async () => {
    await expect(client.getTask({ tenant: '', id: 'missing', historyLength: undefined })).rejects.toThrow(
      'Task not found',
    );
  });
});

describe('the 0.3 card reader of @a2a-js/sdk', () => {
  it('5.6: reads the hybrid card', () => {
    const card = hybridCard({
      name: 'Parley',
      description: 'd',
      version: '1',
      supportedInterfaces: [
        { url: 'https://a.example/', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        { url: 'https://a.example/', protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
      ],
      capabilities: { streaming: true },
      securitySchemes: { jwt: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
      securityRequirements: [{ schemes: { jwt: { list: [] } } }],
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain'],
      skills: [],
    });
    const read: SdkCard = parseLegacyAgentCard(JSON.parse(JSON.stringify(card)));
    expect(read).toMatchObject({ name: 'Parley', capabilities: { streaming: true } });
    expect(read.supportedInterfaces).toMatchObject([{ url: 'https://a.example/', protocolBinding: 'JSONRPC' }]);
    expect(Object.keys(read.securitySchemes)).toEqual(['jwt']);
  });
});
