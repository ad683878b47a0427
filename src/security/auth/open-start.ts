import ipaddr from 'ipaddr.js';
import type { IncomingCall } from './incoming-call.js';

/** The names that nearly every call has: no address is parsed for them. */
const USUAL_NAMES = new Set(['localhost', '127.0.0.1', '::1']);

/** Whether a host to listen on, or of a `Host` header, is this machine and nothing else. */
export function isLoopbackHost(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/, '$1');
  if (USUAL_NAMES.has(name.toLowerCase())) return true;
  return ipaddr.isValid(name) && ipaddr.process(name).range() === 'loopback';
}

/**
 * Whether a call to the open start was meant for this machine. A web page that points its own name at 127.0.0.1 (DNS
 * rebinding) reaches the port, but its name is then in the `Host` header.
 */
export function isMeantForThisMachine(call: IncomingCall): boolean {
  return call.header('host').every((host) => isLoopbackHost(host.replace(/:\d*$/, '')));
}
