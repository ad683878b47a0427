import { hash } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import type { MethodClass } from './rates/method-cost.js';

/**
 * The bucket of one caller for one class of calls. Client names come from issuers: a digest keeps keys short and safe.
 */
export function callerKey(
  prefix: string,
  caller: { tenant: string; client: string },
  methodClass: MethodClass,
): string {
  return `${prefix}:rate:caller:${caller.tenant}:${digest(caller.client)}:${methodClass}`;
}

/** The bucket of one caller for the calls that one rule of the policy limits. */
export function ruleKey(prefix: string, caller: { tenant: string; client: string }, rule: string): string {
  return `${prefix}:rate:rule:${caller.tenant}:${digest(`${caller.client} ${rule}`)}`;
}

/** The bucket of one person at the console, separate from those for calls of the protocol. */
export function consoleKey(prefix: string, caller: { tenant: string; client: string; subject?: string }): string {
  const { tenant, client, subject = '' } = caller;
  return `${prefix}:rate:console:${tenant}:${digest(`${client} ${subject}`)}`;
}

/** The sets of task ids that quotas count, in one slot. TTL 40 days after the last task that was added. */
export interface QuotaKeys {
  readonly live: string;
  readonly waiting: string;
}

export function quotaKeys(prefix: string, { tenant, client }: { tenant: string; client: string }): QuotaKeys {
  const base = `${prefix}:{q${digest(tenant)}}`;
  return { live: `${base}:live:${digest(client)}`, waiting: `${base}:waiting` };
}

/** Cached digests; the oldest is evicted first. */
const MAX_DIGESTS = 10_000;
const DIGESTS = new Map<string, string>();

/** Cached, since every call of a known caller needs several. */
function digest(name: string): string {
  const known = DIGESTS.get(name);
  if (known !== undefined) return known;
  const made = hash('sha256', name, 'base64url').slice(0, 22);
  const [oldest] = DIGESTS.keys();
  if (DIGESTS.size >= MAX_DIGESTS && oldest !== undefined) DIGESTS.delete(oldest);
  DIGESTS.set(name, made);
  return made;
}

/** The bucket of one address, used before authentication. */
export function addressKey(prefix: string, address: string): string {
  return `${prefix}:rate:address:${addressGroup(address)}`;
}

/** The bucket of one address for refused credentials. */
export function failureKey(prefix: string, address: string): string {
  return `${prefix}:rate:failure:${addressGroup(address)}`;
}

/** IPv4 in the usual notation, which is its own group. */
const DEFAULT_IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

/** Groups addresses that one caller can switch between at will: an IPv6 /64, and all notations of an IPv4 address. */
export function addressGroup(address: string): string {
  if (DEFAULT_IPV4.test(address)) return address;
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${parsed
    .toByteArray()
    .slice(0, 8)
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')}/64`;
}
