/** A server as an address names it. */
export interface RedisNode {
  readonly host: string;
  readonly port: number;
}

interface Access {
  readonly tls: boolean;
  readonly username?: string;
  readonly password?: string;
}

/** The topology and address of Redis: one server, a Sentinel group, or a Cluster. */
export type RedisAddress =
  | { readonly kind: 'single'; readonly url: string }
  | ({
      readonly kind: 'sentinel';
      /** The Sentinels; they name the current primary. */
      readonly nodes: readonly RedisNode[];
      readonly group: string;
      readonly db: number;
      readonly sentinelUsername?: string;
      readonly sentinelPassword?: string;
    } & Access)
  | ({ readonly kind: 'cluster'; readonly nodes: readonly RedisNode[] } & Access);

const FORM = /^(rediss?)(?:[-+](sentinel|cluster))?:\/\/(.*)$/s;
const LIST = /^(?:([^:@/?]*)(?::([^@/?]*))?@)?([^/?]+)(?:\/([^?]*))?(?:\?(.*))?$/s;
const NODE = /^(?:\[([\da-f:.]+)\]|([^\s:[\]]+))(?::(\d{1,5}))?$/i;
const SENTINEL_PATH = /^([^/]+)(?:\/(\d{1,4}))?$/;

const DEFAULT_GROUP = 'mymaster';

/**
 * Parses `redis://`, `redis-sentinel://host:port,host:port/group`, `redis-cluster://host:port,host:port`, the same with
 * `rediss` for TLS, and `+` instead of `-`. Throws a TypeError whose message completes the sentence "REDIS_URL …".
 */
export function parseRedisAddress(text: string): RedisAddress {
  const [, scheme, kind, rest = ''] = FORM.exec(text) ?? [];
  if (scheme === undefined) {
    throw new TypeError('must begin with redis://, rediss://, redis-sentinel:// or redis-cluster://');
  }
  const tls = scheme === 'rediss';
  if (kind === undefined) return { kind: 'single', url: singleUrl(text) };
  return kind === 'sentinel' ? sentinelAddress(rest, tls) : clusterAddress(rest, tls);
}

/** The address without credentials, for logs. */
export function withoutCredentials(text: string): string {
  return text.replace(/\/\/[^/?]*@/, '//').replace(/\?.*$/s, '');
}

function singleUrl(text: string): string {
  if (!URL.canParse(text) || new URL(text).hostname === '') throw new TypeError('must have the form redis://host:port');
  const { hostname, pathname } = new URL(text);
  if (hostname.includes(',')) {
    throw new TypeError('names several servers: write redis-sentinel:// or redis-cluster:// before them');
  }
  if (!/^\/?\d*$/.test(pathname)) throw new TypeError('may end in the number of a database only: redis://host:port/0');
  return text;
}

function sentinelAddress(rest: string, tls: boolean): RedisAddress {
  const { path, query, ...common } = partsOf(rest, 26_379);
  const [, group, db = '0'] = SENTINEL_PATH.exec(path === '' ? DEFAULT_GROUP : path) ?? [];
  if (group === undefined) throw new TypeError('must end in the name of the group: redis-sentinel://host:port/group');
  const { sentinelUsername, sentinelPassword, ...others } = Object.fromEntries(new URLSearchParams(query));
  refuseOthers(others);
  return {
    ...{ kind: 'sentinel', tls, group: decoded(group), db: Number(db), ...common },
    ...(sentinelUsername === undefined ? {} : { sentinelUsername }),
    ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
  };
}

function clusterAddress(rest: string, tls: boolean): RedisAddress {
  const { path, query, ...common } = partsOf(rest, 6379);
  if (path !== '') throw new TypeError('may not have a path: a Cluster has one database and no group');
  refuseOthers(Object.fromEntries(new URLSearchParams(query)));
  return { kind: 'cluster', tls, ...common };
}

interface ListParts extends Omit<Access, 'tls'> {
  readonly nodes: readonly RedisNode[];
  readonly path: string;
  readonly query: string;
}

function partsOf(rest: string, defaultPort: number): ListParts {
  const match = LIST.exec(rest);
  if (match === null) throw new TypeError('must list its nodes: host:port,host:port');
  const [, username = '', password = '', hosts = '', path = '', query = ''] = match;
  return {
    ...{ nodes: hosts.split(',').map((item, index) => nodeOf(item, index + 1, defaultPort)), path, query },
    ...(username === '' ? {} : { username: decoded(username) }),
    ...(password === '' ? {} : { password: decoded(password) }),
  };
}

/** A password that is not percent-encoded can be parsed as a node or a parameter: messages repeat neither. */
function nodeOf(item: string, place: number, defaultPort: number): RedisNode {
  const [, ipv6, name, digits] = NODE.exec(item) ?? [];
  const host = ipv6 ?? name;
  const port = digits === undefined ? defaultPort : Number(digits);
  if (host === undefined || port < 1 || port > 65_535)
    throw new TypeError(`has a node ${place}, which is not host:port`);
  return { host, port };
}

function refuseOthers(parameters: Readonly<Record<string, string>>): void {
  if (Object.keys(parameters).length > 0) {
    throw new TypeError(
      'has a parameter that means nothing here: only Sentinels have some, sentinelUsername and sentinelPassword',
    );
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new TypeError('has a % that begins no percent-encoded character: write %25 for it');
  }
}
