import { REST_PATH } from '../../agents/card/card-interfaces.js';

/** The parts of a path of the HTTP+JSON bindings (A2A 1.0 §11.3; 0.3 §3.5.3 with its prefix `/v1`). */
export type RestResource =
  | 'message:send'
  | 'message:stream'
  | 'tasks'
  | 'task'
  | 'task:cancel'
  | 'task:subscribe'
  | 'configs'
  | 'config'
  | 'card';

/** A parsed and percent-decoded path. */
export interface RestPath {
  readonly resource: RestResource;
  /** Whether the path begins with `/v1`, which means 0.3 (DISP-10). */
  readonly hasV1Prefix: boolean;
  /** Members that the path lacks are empty. */
  readonly tenant: string;
  readonly taskId: string;
  readonly configId: string;
}

const V1_PREFIX = 'v1';
/** Names that no tenant can have, since they begin paths (TRAP-21). */
const RESERVED = new Set([
  'tasks',
  'message:send',
  'message:stream',
  'extendedAgentCard',
  V1_PREFIX,
  '.well-known',
  // Paths of other controllers: they are no tenants here either, so that no tenant works on some paths only.
  'callbacks',
  'console',
  'health',
  'metrics',
  'registry',
  'skills',
  'webhooks',
  '',
]);

/**
 * Parses the path of a request target, still percent-encoded; undefined when no binding has it. A custom verb follows
 * the last `:` of a segment, or the last `%3A` if no `:` begins one; the id is decoded after that (A2A-REST-05). A
 * tenant named like the alias of the root comes behind it. Throws URIError when the path is not percent-encoded UTF-8.
 */
export function readRestPath(path: string): RestPath | undefined {
  const segments = belowAlias(path.split('/').slice(1));
  const prefixed = segments[0] === V1_PREFIX;
  if (prefixed) return readSegments(segments.slice(1), { hasV1Prefix: true, tenant: '' });
  const tenant = decodeURIComponent(segments[0] ?? '');
  if (RESERVED.has(tenant)) return readSegments(segments, { hasV1Prefix: false, tenant: '' });
  return readSegments(segments.slice(1), { hasV1Prefix: false, tenant });
}

function belowAlias(segments: readonly string[]): readonly string[] {
  const within = withoutSlashes(segments);
  return within[0] === REST_PATH ? withoutSlashes(within.slice(1)) : within;
}

/** Without the empty segments that clients make when they append a path to an address that ends in a slash. */
function withoutSlashes(segments: readonly string[]): readonly string[] {
  const at = segments.findIndex((segment) => segment !== '');
  return at < 0 ? [] : segments.slice(at);
}

type Place = Pick<RestPath, 'hasV1Prefix' | 'tenant'>;

function readSegments(segments: readonly string[], place: Place): RestPath | undefined {
  const [first = '', id, configs, configId, ...more] = segments;
  const none = { taskId: '', configId: '' };
  const name = decodeURIComponent(first);
  if (name !== 'tasks') return id === undefined ? topLevel(name, place) : undefined;
  if (id === undefined) return { resource: 'tasks', ...place, ...none };
  if (id === '' || more.length > 0) return undefined;
  if (configs === undefined) return taskOrVerb(id, place);
  if (configs !== 'pushNotificationConfigs') return undefined;
  const taskId = decodeURIComponent(id);
  if (configId === undefined) return { resource: 'configs', ...place, ...none, taskId };
  if (configId === '') return undefined;
  return { resource: 'config', ...place, taskId, configId: decodeURIComponent(configId) };
}

function topLevel(name: string, place: Place): RestPath | undefined {
  const path = { ...place, taskId: '', configId: '' };
  if (name === 'message:send' || name === 'message:stream') return { resource: name, ...path };
  const card = place.hasV1Prefix ? 'card' : 'extendedAgentCard';
  return name === card ? { resource: 'card', ...path } : undefined;
}

/** Clients that encode whole segments encode the colon too; no id of this service has one. */
const PLAIN_VERB = /^(.+):(cancel|subscribe)$/;
const ENCODED_VERB = /^(.+)%3A(cancel|subscribe)$/i;

function taskOrVerb(segment: string, place: Place): RestPath {
  const [, id = segment, verb] = PLAIN_VERB.exec(segment) ?? ENCODED_VERB.exec(segment) ?? [];
  const taskId = decodeURIComponent(id);
  const resource = verb === 'cancel' || verb === 'subscribe' ? (`task:${verb}` as const) : 'task';
  return { resource, ...place, taskId, configId: '' };
}
