import { createHash } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import type { MethodClass } from './method-cost.js';

/** The bucket of one caller for one class of calls. Client names come from issuers: a digest keeps keys short and safe. */
export function callerKey(
  prefix: string,
  caller: { tenant: string; client: string },
  methodClass: MethodClass,
): string {
  const client = createHash('sha256').update(caller.client).digest('base64url').slice(0, 22);
  return `${prefix}:rate:caller:${caller.tenant}:${client}:${methodClass}`;
}

/** The bucket of one address, before it is known who calls. */
export function addressKey(prefix: string, address: string): string {
  return `${prefix}:rate:address:${addressGroup(address)}`;
}

/** The bucket of one address for credentials that were refused. */
export function failureKey(prefix: string, address: string): string {
  return `${prefix}:rate:failure:${addressGroup(address)}`;
}

/** Addresses that one caller can change between at will are one: an IPv6 /64, and IPv4 however it is written. */
export function addressGroup(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${parsed
    .toByteArray()
    .slice(0, 8)
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')}/64`;
}
