import fc from 'fast-check';
import { isOperationName, STREAMS } from '@parley/protocol/model/operations.js';
import { EVERY_WAY, type HttpCall } from './every-way.js';

/** An HTTP request that nobody in their right mind would send, or nearly nobody. */
export interface AnyCall {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

const SUBJECTS = [
  { taskId: '00000000-0000-4000-8000-000000000000', configId: 'c', messageId: 'm', contextId: 'ctx' },
  { taskId: '', configId: '', messageId: 'm2' },
];

/** Calls as they should be, for taking apart. */
const SOUND: readonly HttpCall[] = EVERY_WAY.flatMap(({ calls }) =>
  Object.keys(STREAMS)
    .filter(isOperationName)
    .flatMap((operation) => SUBJECTS.flatMap((subject) => calls[operation]?.(subject) ?? []))
    .flatMap((call) => ('http' in call ? [call.http] : [])),
);

const METHODS = SOUND.flatMap(({ body = '{}' }) => (JSON.parse(body) as { method?: string }).method ?? []);

/** Values that have broken parsers before. */
const AWKWARD = fc.constantFrom<unknown>(
  ...[null, '', 0, -0, -1, 1.5, 1e308, 9007199254740991, true, [], {}, [[]], [null]],
  ...['__proto__', 'constructor', '\u0000', '\ud800', '‮', '../..', '%00', '${7*7}', "' OR 1=1 --", 'a'.repeat(300)],
  ...[{ toString: 1 }, { constructor: { prototype: {} } }, { then: 'x' }, { length: 1e9 }, { $ne: 1 }],
  ...['TASK_STATE_WORKING', 'ROLE_USER', '2026-01-01T00:00:00Z', '9999999-01-01', 'http://169.254.169.254/'],
);

const anything = fc.oneof(
  { weight: 3, arbitrary: AWKWARD },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 40 }) },
);

/** Sound JSON with one thing in it replaced, removed, doubled or added. */
function damaged(sound: unknown): fc.Arbitrary<unknown> {
  return fc
    .record({ at: fc.nat(40), how: fc.nat(4), name: fc.string({ maxLength: 8 }), value: anything })
    .map((change) => {
      let left = change.at;
      const visit = (node: unknown): unknown => {
        if (left-- === 0) return change.how === 0 ? undefined : change.how === 1 ? [node, node] : change.value;
        if (Array.isArray(node)) return node.map(visit);
        if (typeof node !== 'object' || node === null) return node;
        const members = Object.entries(node).map(([name, member]: [string, unknown]) => [name, visit(member)] as const);
        return Object.fromEntries(change.how === 3 ? [...members, [change.name, change.value]] : members);
      };
      return visit(sound);
    });
}

const damagedText = (text: string): fc.Arbitrary<string> =>
  fc
    .record({ at: fc.nat(text.length), cut: fc.nat(3), put: fc.string({ unit: 'binary', maxLength: 4 }) })
    .map(({ at, cut, put }) => text.slice(0, at) + put + text.slice(at + cut));

function bodyLike(sound: string): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 6, arbitrary: damaged(JSON.parse(sound)).map((value) => JSON.stringify(value ?? null)) },
    { weight: 2, arbitrary: damagedText(sound) },
    { weight: 1, arbitrary: fc.json({ maxDepth: 5 }) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  );
}

const envelope = fc
  .record(
    {
      jsonrpc: fc.oneof({ weight: 4, arbitrary: fc.constant('2.0') }, anything),
      id: fc.oneof(fc.integer(), fc.string({ maxLength: 10 }), anything),
      method: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...METHODS) }, anything),
      params: anything,
    },
    { requiredKeys: [] },
  )
  .map((value) => JSON.stringify(value));

/** What HTTP clients let through in a header. */
const headerText = fc.string({ unit: fc.constantFrom(...' !"#%&(),./09:;=?AZ[\\]az{|}~\t'), maxLength: 30 });

const headers = fc
  .record(
    {
      'a2a-version': fc.oneof(fc.constantFrom('1.0', '0.3', '0.2', '0.1', '1.0.1', '9.9', ''), headerText),
      'content-type': fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom('application/json', 'application/a2a+json') },
        fc.constantFrom('application/json; charset=utf-16', 'text/plain', 'multipart/form-data; boundary=x', ';'),
      ),
      accept: fc.oneof(fc.constantFrom('*/*', 'text/event-stream', 'application/json;q=0'), headerText),
      'last-event-id': headerText,
      'a2a-extensions': headerText,
      'x-forwarded-for': headerText,
      traceparent: headerText,
      authorization: fc.oneof(fc.constantFrom('Bearer a.b.c', 'Basic x'), headerText),
    },
    { requiredKeys: ['content-type'] },
  )
  .map((given) => Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value.trim()])));

const segment = fc.oneof(
  fc.constantFrom(
    'tasks',
    'message:send',
    'v1',
    'pushNotificationConfigs',
    'extendedAgentCard',
    '..',
    '%2e%2e',
    '%',
    '',
  ),
  fc.constantFrom('%ff', '%00', '__proto__', ':cancel', 'x:cancel:subscribe', '.well-known', 'health', 'card'),
  fc.string({ maxLength: 12 }).map(encodeURIComponent.bind(undefined)),
);

const query = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  fc.constantFrom('?pageSize=-1', '?pageSize=x&pageSize=y', '?historyLength=1e9', '?A2A-Version=1.0', '?%', '?a[b]=1'),
  fc.webQueryParameters({ size: 'small' }).map((text) => `?${text}`),
);

const path = fc
  .tuple(
    fc.oneof(
      { weight: 2, arbitrary: fc.constantFrom(...SOUND.map((call) => call.path)) },
      fc.array(segment, { maxLength: 5 }).map((segments) => `/${segments.join('/')}`),
    ),
    query,
  )
  .map((parts) => parts.join(''));

const httpMethod = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('GET', 'POST') },
  fc.constantFrom('DELETE', 'PUT', 'PATCH', 'HEAD', 'OPTIONS'),
);

const rpcCall = fc.constantFrom(...SOUND.filter((call) => call.path === '/')).chain(({ body = '{}' }) =>
  fc.record({
    method: fc.constant('POST'),
    path: fc.constantFrom('/', '/', '/', '/subscribe', '/?A2A-Version=0.3'),
    headers,
    body: fc.oneof({ weight: 3, arbitrary: bodyLike(body) }, envelope),
  }),
);

const restCall = fc.constantFrom(...SOUND.filter((call) => call.path !== '/')).chain((sound) => {
  const sameRoute = fc.record({ method: fc.constant<string>(sound.method), path: fc.constant(sound.path) });
  const anyRoute = fc.record({ method: httpMethod, path });
  return fc.tuple(fc.oneof(sameRoute, anyRoute), headers, bodyLike(sound.body ?? '{}')).map(([route, sent, body]) => ({
    ...route,
    headers: sent,
    ...(route.method === 'GET' || route.method === 'HEAD' ? {} : { body }),
  }));
});

/** Requests on both HTTP bindings in all dialects: sound ones taken apart, and nonsense. */
export const anyCall: fc.Arbitrary<AnyCall> = fc.oneof(rpcCall, restCall);
