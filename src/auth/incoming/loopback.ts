import ipaddr from 'ipaddr.js';

/** The usual names; they need no parsing. */
const DEFAULT_NAMES = new Set(['localhost', '127.0.0.1', '::1']);

/** Whether a host to listen on, or of a `Host` header, is this machine only. */
export function isLoopbackHost(host: string): boolean {
  if (DEFAULT_NAMES.has(host)) return true;
  const name = host.replace(/^\[(.*)\]$/, '$1');
  if (DEFAULT_NAMES.has(name.toLowerCase())) return true;
  return ipaddr.isValid(name) && ipaddr.process(name).range() === 'loopback';
}

/** Whether the content of a URL certainly comes from its host: https, or http within this machine. */
export function isProtectedUrl(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname));
}
