import { forwardingHeader } from '../../platform/address/forwarding.js';
import type { IncomingCall } from './incoming-call.js';
import { isLoopbackHost } from './loopback.js';

/**
 * Whether a call to the open start comes from a program on this machine. Closes two ways of web pages to the port: a
 * page whose own name resolves to 127.0.0.1 (DNS rebinding) has that name in `Host`, and a page of another origin has
 * it in `Origin`, or in `Sec-Fetch-Site` without an `Origin`. A proxy on this machine brings callers from anywhere, and
 * is recognised by its headers.
 */
export function isMeantForThisMachine(call: IncomingCall): boolean {
  return (
    forwardedBy(call) === undefined &&
    call.header('host').every(isThisMachine) &&
    call.header('origin').every(isLoopbackOrigin) &&
    !call.header('sec-fetch-site').includes('cross-site')
  );
}

/** The header that reveals a proxy missing in INGRESS_NETWORKS. */
export function forwardedBy(call: IncomingCall): string | undefined {
  if (call.isBehindIngress === true) return undefined;
  return forwardingHeader((name) => call.header(name).length > 0);
}

/** `null` is the origin of sandboxed frames and files: no page of a local program has it. */
function isLoopbackOrigin(origin: string): boolean {
  return URL.canParse(origin) && isLoopbackHost(new URL(origin).hostname);
}

/** The last loopback host, which most calls repeat. */
let usual = '';

function isThisMachine(host: string): boolean {
  if (host === usual) return true;
  if (!isLoopbackHost(host.replace(/:\d*$/, ''))) return false;
  usual = host;
  return true;
}
