/** One of the addresses by which callers reach the service. */
export interface ListedAddress {
  /** In normal form: lower-case host, no default port, no slash at the end. */
  readonly url: string;
  /** Its gRPC server, as `host:port`; empty for none; undefined where nothing is said. */
  readonly grpc?: string | undefined;
}

/** The card has a signature for each address. */
const MAX_ADDRESSES = 8;

/**
 * The addresses in PUBLIC_URL, the first of which is the default.
 * @param grpc `host:port` of each address in the same order; `-` for one without gRPC
 * @throws Error that says what is wrong
 */
export function readAddresses(urls = '', grpc = ''): readonly ListedAddress[] {
  const servers = readGrpcServers(grpc);
  const addresses = listOf(urls).map((url, at): ListedAddress => {
    const server = servers[at];
    return { url: normalUrl(url), ...(server === undefined ? {} : { grpc: server }) };
  });
  if (addresses.length > MAX_ADDRESSES) throw new Error(`must be at most ${String(MAX_ADDRESSES)} addresses`);
  if (new Set(addresses.map(({ url }) => url)).size < addresses.length) throw new Error('has an address twice');
  return addresses;
}

/** The servers in GRPC_PUBLIC_ADDRESS; empty for none (`-`). */
export function readGrpcServers(text = ''): readonly string[] {
  return listOf(text).map((server) => (server === '-' ? '' : server));
}

/** Undefined, or the fault of the text of `readAddresses`. */
export function addressesFault(urls: string): string | undefined {
  try {
    return readAddresses(urls).length === 0 ? 'must be a URL address' : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function listOf(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}

function normalUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) throw new Error('must be a URL address');
  const { protocol, host, pathname, username, password, search, hash } = new URL(text);
  if (`${username}${password}${search}${hash}` !== '') throw new Error('must be a URL address without user and query');
  const path = pathname.replace(/\/+$/, '');
  if (path.includes('//')) throw new Error('must be a URL address without a doubled slash');
  return `${protocol}//${host}${path}`;
}

/** What a call tells of the address that its caller used. */
export interface AskedAddress {
  /** Every value of a header; the name is in lower case. */
  header(name: string): readonly string[];
  /** `Host`, or `:authority` of gRPC. */
  host(): readonly string[];
  /** Whether the peer is a proxy of the operator: its forwarding headers count. */
  isOfProxy(): boolean;
}

/** Headers that choose the address, for caches (RFC 9110 §12.5.5). */
export const ADDRESS_HEADERS = 'Host, Forwarded, X-Forwarded-Host, X-Forwarded-Proto, X-Forwarded-Prefix';

/**
 * The listed address that a caller used, by host and longest path prefix; the default for any other. No text of a caller
 * gets into a card or a link: it only chooses. Undefined where fewer than two are listed.
 */
export function addressAskedAt(listed: readonly ListedAddress[], asked: AskedAddress): ListedAddress | undefined {
  const [first] = listed;
  if (listed.length < 2) return undefined;
  const { host, proto, prefix } = asked.isOfProxy() ? forwarded(asked) : NOTHING;
  const name = host ?? only(asked.host());
  const there = name === undefined ? [] : listed.filter((address) => isAt(address, name));
  const bySecurity = there.filter(({ url }) => new URL(url).protocol === `${proto ?? ''}:`);
  return byPrefix(bySecurity.length > 0 ? bySecurity : there, prefix) ?? first;
}

function byPrefix(listed: readonly ListedAddress[], prefix: string | undefined): ListedAddress | undefined {
  if (prefix === undefined) return listed.find(({ url }) => pathOf(url) === '') ?? listed[0];
  const below = listed.filter(({ url }) => prefix === pathOf(url) || prefix.startsWith(`${pathOf(url)}/`));
  return below.toSorted((a, b) => b.url.length - a.url.length)[0];
}

function pathOf(url: string): string {
  return new URL(url).pathname.replace(/\/$/, '');
}

const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

function isAt({ url, grpc }: ListedAddress, host: string): boolean {
  if (!HOST.test(host)) return false;
  const asked = `${new URL(url).protocol}//${host}`;
  return (
    grpc?.toLowerCase() === host.toLowerCase() || (URL.canParse(asked) && new URL(asked).host === new URL(url).host)
  );
}

interface Forwarded {
  readonly host?: string | undefined;
  readonly proto?: string | undefined;
  readonly prefix?: string | undefined;
}

const NOTHING: Forwarded = {};

/** The statements of the proxy that called. Several hops or values contradict each other, and count for nothing. */
function forwarded(asked: AskedAddress): Forwarded {
  const header = (name: string): readonly string[] => asked.header(name);
  const pairs = (only(header('forwarded')) ?? '').split(';').map((pair) => /^\s*(\w+)="?([^"]*)"?\s*$/.exec(pair));
  const standard = new Map(
    pairs.flatMap((pair) => (pair === null ? [] : [[pair[1]?.toLowerCase(), pair[2]] as const])),
  );
  const prefix = only(header('x-forwarded-prefix'))?.replace(/\/$/, '');
  return {
    host: only(header('x-forwarded-host')) ?? standard.get('host'),
    proto: (only(header('x-forwarded-proto')) ?? standard.get('proto'))?.toLowerCase(),
    prefix: prefix === undefined || isPlainPath(prefix) ? prefix : undefined,
  };
}

/** Whether a path is what it reads: without `..`, doubled slashes and what a URL would encode. */
function isPlainPath(path: string): boolean {
  return path === '' || (/^(?:\/[^/?#]+)+$/.test(path) && new URL(path, 'http://x').pathname === path);
}

function only(values: readonly string[]): string | undefined {
  const [value, second] = values;
  return second !== undefined || value === undefined || value.includes(',') ? undefined : value.trim();
}
