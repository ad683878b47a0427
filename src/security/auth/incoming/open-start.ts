import { forwardingHeader } from '../../../platform/address/forwarding.js';
import type { IncomingCall } from './incoming-call.js';
import { isLoopbackHost } from './loopback.js';

/**
 * Whether a call to the open start comes from a program of this machine. Two ways of web pages to the port are closed: a
 * page that points its own name at 127.0.0.1 (DNS rebinding) has that name in `Host`, and a page of another origin is
 * named by the browser in `Origin`, or by `Sec-Fetch-Site` where a request has no `Origin`. A third way is a proxy on this
 * machine, which brings callers from anywhere: its headers show it.
 */
export function isMeantForThisMachine(call: IncomingCall): boolean {
  return (
    forwardedBy(call) === undefined &&
    call.header('host').every(isThisMachine) &&
    call.header('origin').every(isLoopbackOrigin) &&
    !call.header('sec-fetch-site').includes('cross-site')
  );
}

/** The header by which a call is seen to come through a proxy that the operator has not named (INGRESS_NETWORKS). */
export function forwardedBy(call: IncomingCall): string | undefined {
  if (call.isBehindIngress === true) return undefined;
  return forwardingHeader((name) => call.header(name).length > 0);
}

/** `null` is the origin of sandboxed frames and of files: no page of this machine's programs has it. */
function isLoopbackOrigin(origin: string): boolean {
  return URL.canParse(origin) && isLoopbackHost(new URL(origin).hostname);
}

/** The host of this machine that was named last, which nearly every call names. */
let usual = '';

function isThisMachine(host: string): boolean {
  if (host === usual) return true;
  if (!isLoopbackHost(host.replace(/:\d*$/, ''))) return false;
  usual = host;
  return true;
}
