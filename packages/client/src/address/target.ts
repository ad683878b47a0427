import { parseAddress } from './ip-address.js';

/** Where a URL leads before any name is resolved. */
export interface Target {
  readonly protocol: 'http:' | 'https:';
  /** Lower case, without a trailing dot; an IPv6 literal without brackets. */
  readonly host: string;
  readonly port: number;
  /** Whether `host` is an address, so that no resolver is asked. */
  readonly isLiteral: boolean;
}

/** Why a URL cannot be a target. For logs; callers get one text for all of them. */
export type UrlFault = 'malformed_url' | 'scheme' | 'userinfo' | 'fragment' | 'host_form';

const VISIBLE_ASCII = /^[!-~]+$/;
const SHAPE = /^(?<scheme>[a-z][a-z0-9+.-]*):\/\/(?<authority>[^/?#\\]+)(?:[/?][^\\#]*)?$/i;
const NAME = /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/;
const DEFAULT_PORTS = { 'http:': 80, 'https:': 443 } as const;
const MAX_URL_LENGTH = 2048;

/**
 * Reads a URL so strictly that every parser agrees on its host: WHATWG's forgiving forms (numeric or escaped hosts,
 * backslashes, missing slashes, Unicode digits) are refused, not repaired, since a repaired host is a disguised one.
 */
export function parseTarget(raw: string): Target | UrlFault {
  if (raw.length > MAX_URL_LENGTH || !VISIBLE_ASCII.test(raw) || raw.includes('\\')) return 'malformed_url';
  if (raw.includes('#')) return 'fragment';
  const shape = SHAPE.exec(raw)?.groups;
  if (shape === undefined || !URL.canParse(raw)) return 'malformed_url';
  const url = new URL(raw);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'scheme';
  const authority = shape.authority ?? '';
  if (authority.includes('@')) return 'userinfo';
  const written = authority.toLowerCase().replace(/:\d*$/, '');
  if (written !== url.hostname) return 'host_form';
  const port = url.port === '' ? DEFAULT_PORTS[url.protocol] : Number(url.port);
  return targetOf(url.protocol, url.hostname, port) ?? 'host_form';
}

/** The target of parts that a URL parser has already made; undefined when the host is neither a name nor an address. */
export function targetOf(protocol: Target['protocol'], hostname: string, port: number): Target | undefined {
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname.replace(/\.$/, '');
  const address = parseAddress(host);
  if (address !== undefined) return { protocol, host: address.toString(), port, isLiteral: true };
  return NAME.test(host) && !/\.\d+$/.test(host) ? { protocol, host, port, isLiteral: false } : undefined;
}
