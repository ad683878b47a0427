import { MODERN_REVISION } from '@parley/protocol/mcp/revision.js';

/** A call that is right, over HTTP: `$task`, `$asking` and `$new` in it stand for ids. */
export interface LiveCall {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly headers?: (body: unknown) => Readonly<Record<string, string>>;
  readonly body?: object;
  /** Where the params are in the body. */
  readonly below?: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Of a version before 1.0, or of MCP: refusals name members as A2A 1.0 does. */
  readonly isOlder?: boolean;
}

/** A literal address: no name is resolved, and nothing is there. */
const URL = 'https://192.0.2.1/hook';
const METADATA = { a: [1, null, { b: 'c' }] };

const PARTS = [
  { text: 'Hello', metadata: METADATA, filename: 'a.txt', mediaType: 'text/plain' },
  { raw: 'aGk=' },
  { url: 'https://a.example/b' },
  { data: { n: [1, null] } },
];
const MESSAGE = {
  ...{ messageId: '$new', contextId: '$new', role: 'ROLE_USER', metadata: { skillId: 'echoing' }, parts: PARTS },
  ...{ extensions: ['urn:a:b'], referenceTaskIds: ['$task'] },
};
const WEBHOOK = {
  ...{ id: 'w', url: URL, token: 'secret', events: ['artifact'] },
  authentication: { scheme: 'Bearer', credentials: 'secret' },
};
const CONFIGURATION = { acceptedOutputModes: ['text/plain'], historyLength: 3, returnImmediately: true };
const SEND = { message: MESSAGE, configuration: CONFIGURATION, metadata: METADATA };
const SENDS = [SEND, { ...SEND, configuration: { ...CONFIGURATION, taskPushNotificationConfig: WEBHOOK } }];
const LIST = {
  ...{ contextId: 'c', status: 'TASK_STATE_WORKING', pageSize: 5, historyLength: 1, includeArtifacts: true },
  statusTimestampAfter: '2026-01-31T12:00:00Z',
};

const PARTS_V03 = [
  { kind: 'text', text: 'Hello', metadata: METADATA },
  { kind: 'file', file: { bytes: 'aGk=', name: 'a.txt', mimeType: 'text/plain' } },
  { kind: 'file', file: { uri: 'https://a.example/b' } },
  { kind: 'data', data: { n: [1, null] } },
];
const MESSAGE_V03 = { ...MESSAGE, kind: 'message', role: 'user', parts: PARTS_V03 };
const WEBHOOK_V03 = { ...WEBHOOK, authentication: { schemes: ['Bearer'], credentials: 'secret' } };
const CONFIGURATION_V03 = { acceptedOutputModes: ['text/plain'], historyLength: 3, blocking: false };
const SENDS_V03 = [
  { message: MESSAGE_V03, configuration: CONFIGURATION_V03, metadata: METADATA },
  { message: MESSAGE_V03, configuration: { ...CONFIGURATION_V03, pushNotificationConfig: WEBHOOK_V03 } },
];
const SEND_V01 = {
  ...{
    id: '$new',
    sessionId: '$new',
    acceptedOutputModes: ['text'],
    historyLength: 1,
    metadata: { skillId: 'echoing' },
  },
  message: { role: 'user', parts: PARTS_V03.map(({ kind: type, ...part }) => ({ type, ...part })), metadata: METADATA },
};

function rpc(version: string | undefined, methods: Readonly<Record<string, readonly object[]>>): readonly LiveCall[] {
  const headers = (): Readonly<Record<string, string>> => (version === undefined ? {} : { 'a2a-version': version });
  return Object.entries(methods).flatMap(([method, examples]) =>
    examples.map((params) => ({
      ...{
        name: `JSON-RPC ${version ?? '0.1'} ${method}`,
        method: 'POST' as const,
        path: '/',
        headers,
        below: 'params',
        isOlder: version !== '1.0',
      },
      body: { jsonrpc: '2.0', id: 1, method, params },
    })),
  );
}

const RPC_V03 = {
  ...{ 'message/send': SENDS_V03, 'message/stream': SENDS_V03.slice(0, 1) },
  'tasks/get': [{ id: '$task', historyLength: 1, metadata: METADATA }],
  'tasks/cancel': [{ id: '$task', metadata: METADATA }],
  'tasks/resubscribe': [{ id: '$task', metadata: METADATA }],
  'tasks/pushNotificationConfig/set': [{ taskId: '$task', pushNotificationConfig: WEBHOOK_V03 }],
  'tasks/pushNotificationConfig/get': [{ id: '$task', pushNotificationConfigId: 'w' }],
  'tasks/pushNotificationConfig/list': [{ id: '$task' }],
  'tasks/pushNotificationConfig/delete': [{ id: '$task', pushNotificationConfigId: 'w' }],
  'agent/getAuthenticatedExtendedCard': [{ a: 1 }],
};

const RPC = [
  ...rpc('1.0', {
    ...{ SendMessage: SENDS, SendStreamingMessage: [SEND] },
    GetTask: [{ id: '$task', historyLength: 1 }],
    ListTasks: [LIST],
    CancelTask: [{ id: '$task', metadata: METADATA }],
    SubscribeToTask: [{ id: '$task' }],
    CreateTaskPushNotificationConfig: [{ taskId: '$task', ...WEBHOOK }],
    GetTaskPushNotificationConfig: [{ taskId: '$task', id: 'w' }],
    ListTaskPushNotificationConfigs: [{ taskId: '$task', pageSize: 1 }],
    DeleteTaskPushNotificationConfig: [{ taskId: '$task', id: 'w' }],
    GetExtendedAgentCard: [{ tenant: 'acme' }],
    double: [{ inputs: { n: 1, ms: 1 }, memory: { a: 1 }, context: { request_id: '$new', user_id: 'u' } }],
  }),
  ...rpc('0.3', RPC_V03),
  ...rpc('0.2', RPC_V03),
  ...rpc(undefined, {
    'tasks/send': [SEND_V01, { ...SEND_V01, pushNotification: WEBHOOK_V03 }],
    'tasks/sendSubscribe': [SEND_V01],
    'tasks/get': [{ id: '$task', historyLength: 1 }],
    'tasks/cancel': [{ id: '$task', metadata: METADATA }],
    'tasks/resubscribe': [{ id: '$task', historyLength: 1 }],
    'tasks/pushNotification/set': [{ id: '$task', pushNotificationConfig: WEBHOOK_V03 }],
    'tasks/pushNotification/get': [{ id: '$task' }],
  }),
];

function http(
  method: LiveCall['method'],
  path: string,
  given: Pick<LiveCall, 'body' | 'query'> = {},
  version?: string,
): LiveCall {
  const headers = (): Readonly<Record<string, string>> => (version === undefined ? {} : { 'a2a-version': version });
  return { name: `${method} ${path}`, method, path, headers, isOlder: path.startsWith('/v1/'), ...given };
}

const MESSAGE_REST_V03 = {
  ...{ messageId: '$new', role: 'ROLE_USER', metadata: { skillId: 'echoing' }, extensions: ['urn:a:b'] },
  content: [
    { text: 'Hello', metadata: METADATA },
    { file: { fileWithBytes: 'aGk=', mimeType: 'text/plain', name: 'a.txt' } },
    { file: { fileWithUri: 'https://a.example/b' } },
    { data: { data: { n: [1, null] } } },
  ],
};
const SEND_REST_V03 = { message: MESSAGE_REST_V03, configuration: CONFIGURATION_V03, metadata: METADATA };
const CONFIGS = '/tasks/$task/pushNotificationConfigs';
const PAGE = { pageSize: '1' };

const REST = [
  ...['/message:send', '/message:stream'].flatMap((path) => SENDS.map((body) => http('POST', path, { body }, '1.0'))),
  http('GET', '/tasks/$task', { query: { historyLength: '1', tenant: 'acme' } }, '1.0'),
  http('GET', '/tasks', { query: Object.fromEntries(Object.entries(LIST).map(([name, one]) => [name, String(one)])) }),
  http('POST', '/tasks/$task:cancel', { body: { metadata: METADATA } }, '1.0'),
  http('POST', '/tasks/$task:subscribe', { body: {} }, '1.0'),
  http('POST', CONFIGS, { body: WEBHOOK }, '1.0'),
  http('GET', CONFIGS, { query: PAGE }, '1.0'),
  http('GET', `${CONFIGS}/w`, { query: { tenant: 'acme' } }, '1.0'),
  http('POST', '/v1/message:send', { body: SEND_REST_V03 }),
  http('POST', '/v1/message:stream', { body: SEND_REST_V03 }),
  http('GET', '/v1/tasks/$task', { query: { historyLength: '1' } }),
  http('POST', '/v1/tasks/$task:cancel', { body: { name: 'tasks/$task' } }),
  http('POST', `/v1${CONFIGS}`, { body: { config: { pushNotificationConfig: WEBHOOK_V03 }, configId: 'w' } }),
  http('GET', `/v1${CONFIGS}`, { query: PAGE }),
];

const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN_REVISION,
  'io.modelcontextprotocol/clientCapabilities': {
    ...{ elicitation: { form: {} } },
    extensions: { 'io.modelcontextprotocol/tasks': {} },
  },
  progressToken: 'p',
};

function headerText(value: string): string {
  return /^[\x21-\x7e]+$/.test(value) ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}

function mcp(
  methods: Readonly<Record<string, readonly object[]>>,
  named: Readonly<Record<string, string>>,
): LiveCall[] {
  return Object.entries(methods).flatMap(([method, examples]) =>
    examples.map((params) => ({
      ...{ name: `MCP ${method}`, method: 'POST' as const, path: '/mcp', below: 'params', isOlder: true },
      headers: (body: unknown) => {
        const { params: sent } = body as { readonly params: unknown };
        const member = named[method];
        const name: unknown = member === undefined ? undefined : Reflect.get(Object(sent) as object, member);
        return {
          ...{ 'mcp-protocol-version': MODERN_REVISION, 'mcp-method': method },
          ...(typeof name === 'string' ? { 'mcp-name': headerText(name) } : {}),
        };
      },
      body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } },
    })),
  );
}

const MCP = mcp(
  {
    ...{ 'server/discover': [{}], 'tools/list': [{}], 'prompts/list': [{}] },
    ...{ 'resources/list': [{}], 'resources/templates/list': [{}] },
    'tools/call': [
      { name: 'double', arguments: { n: 1, ms: 1 } },
      { name: 'parley_task_get', arguments: { taskId: '$task', waitMs: 1 } },
      { name: 'parley_task_answer', arguments: { taskId: '$asking', text: 'x' } },
      { name: 'parley_task_cancel', arguments: { taskId: '$task' } },
      { name: 'echoing', arguments: { message: 'x' }, inputResponses: { q: { action: 'accept' } }, requestState: 's' },
    ],
    'resources/read': [{ uri: 'parley://tasks/$task' }],
    'tasks/get': [{ taskId: '$task' }],
    'tasks/update': [{ taskId: '$asking', inputResponses: { q: { action: 'accept', content: { n: 1 } } } }],
    'tasks/cancel': [{ taskId: '$task' }],
    'subscriptions/listen': [
      { notifications: { resourceSubscriptions: ['parley://tasks/$task'], taskIds: ['$task'] } },
    ],
  },
  {
    'tools/call': 'name',
    'resources/read': 'uri',
    'tasks/get': 'taskId',
    'tasks/update': 'taskId',
    'tasks/cancel': 'taskId',
  },
);

const CONTEXT = {
  ...{ caller: 'c', request_id: '$new', trace_id: 't', user_id: 'u', timestamp: '2026-01-31T12:00:00Z', nonce: '$new' },
  ...{ permissions: ['p'], debug_mode: true },
};

const CONSOLE = [
  ...['/console/api/tasks', '/console/api/feed', '/console/api/approvals'].map((path) =>
    http('GET', path, {
      query: { state: 'TASK_STATE_WORKING', skill: 's', client: 'c', context: 'c', since: '2026-01-31', limit: '5' },
    }),
  ),
  http('POST', '/console/api/tasks/cancel', { body: { ids: ['$task'] } }),
  http('POST', '/console/api/tasks/$task/cancel', { body: {} }),
  http('GET', '/console/api/tasks/$task/events', { query: { from: '1', limit: '5', last: '5' } }),
  http('GET', '/console/api/tasks/$task/steps/content', { query: { turn: '1', name: 'n' } }),
  http('GET', '/console/api/tasks/$task/bundle/content', { query: { children: 'true' } }),
  http('POST', '/console/api/tasks/$task/rerun', { body: { text: 'x', step: 's', turn: 1 } }),
  http('POST', '/console/api/tasks/$asking/answer', {
    body: { questionId: '$asking:1', text: 'x', data: { a: 1 }, messageId: '$new' },
  }),
  http('GET', '/console/api/dead-letters', { query: { endpoint: URL, taskId: '$task' } }),
  http('POST', '/console/api/dead-letters/redrive', { body: { endpoint: URL, taskId: '$task', expected: 1 } }),
  http('POST', '/console/api/agents/card', { body: { agent: URL } }),
  http('POST', '/console/api/agents/contract', { body: { agent: URL, skill: 's' } }),
  http('POST', '/console/api/agents/call', {
    body: {
      ...{ agent: URL, operation: 'SendMessage', binding: 'JSONRPC', version: '1.0', taskId: 't', after: 'e' },
      ...{ message: MESSAGE, metadata: METADATA, returnImmediately: true },
    },
  }),
];

const OPERATOR = [
  http('GET', '/webhooks/dead-letters', { query: { endpoint: URL, taskId: '$task', since: '2026-01-31', limit: '5' } }),
  http('POST', '/webhooks/redrive', {
    body: { endpoint: URL, taskId: '$task', since: '2026-01-31', until: '2026-01-31', limit: 5 },
  }),
  http('GET', '/webhooks/endpoint', { query: { endpoint: URL } }),
  http('POST', '/webhooks/endpoint/enable', { body: { endpoint: URL } }),
  http('GET', '/webhooks/attempts/$task', { query: { after: '1' } }),
  http('POST', '/webhooks/events', {
    body: {
      ...{ url: URL, types: ['a.*'], of: 'tenant', token: 'secret' },
      authentication: { scheme: 'Bearer', credentials: 'secret' },
    },
  }),
];

const ENTRY = '/registry/entries/urn:air:a.example:agent:x';
const REGISTRY = [
  http('POST', '/registry/search', {
    body: { query: { text: 'x', filter: { tags: ['a'] } }, federation: 'auto', pageSize: 1 },
  }),
  http('POST', '/registry/explore', {
    body: {
      query: { text: 'x', filter: { tags: ['a'] } },
      resultType: { facets: [{ field: 'tags', limit: 1, minCount: 1 }] },
    },
  }),
  http('GET', '/registry/agents', {
    query: { ...PAGE, filter: "tags = 'a'", skill: 's', tag: 't', q: 'x', orderBy: 'displayName' },
  }),
  http('GET', '/registry/entries', { query: { ...PAGE, state: 'approved', pending: 'true' } }),
  http('GET', '/registry/log', { query: { after: '1', limit: '1' } }),
  http('GET', '/registry/events', { query: { after: '1' } }),
  http('POST', '/registry/entries', {
    body: { url: URL, identifier: 'urn:air:a.example:agent:x', visibility: 'clients', clients: ['c'] },
  }),
  http('PUT', `${ENTRY}/visibility`, { body: { visibility: 'clients', clients: ['c'] } }),
  http('POST', `${ENTRY}/approve`, { body: { hash: 'a'.repeat(64) } }),
  http('POST', `${ENTRY}/suspend`, { body: { reason: 'x' } }),
  http('POST', `${ENTRY}/retire`, { body: { reason: 'x' } }),
  http('PUT', '/registry/publishers/a.example', { body: { keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'aGk' }] } }),
];

/** A right call of every method of every binding, of `POST /run`, MCP, the console, operators and the registry, over HTTP. */
export const LIVE_CALLS: readonly LiveCall[] = [
  ...RPC,
  ...REST,
  ...MCP,
  http('POST', '/run', { body: { intent: 'double', inputs: { n: 1, ms: 1 }, memory: { a: 1 }, context: CONTEXT } }),
  ...CONSOLE,
  ...OPERATOR,
  ...REGISTRY,
];
