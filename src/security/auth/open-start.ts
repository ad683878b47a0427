import type { IncomingCall } from './incoming-call.js';
import { isLoopbackHost } from './loopback.js';

/**
 * Whether a call to the open start comes from a program of this machine. Two ways of web pages to the port are closed: a
 * page that points its own name at 127.0.0.1 (DNS rebinding) has that name in `Host`, and a page of another origin is
 * named by the browser in `Origin`, or by `Sec-Fetch-Site` where a request has no `Origin`.
 */
export function isMeantForThisMachine(call: IncomingCall): boolean {
  return (
    call.header('host').every((host) => isLoopbackHost(withoutPort(host))) &&
    call.header('origin').every(isLoopbackOrigin) &&
    !call.header('sec-fetch-site').includes('cross-site')
  );
}

/** `null` is the origin of sandboxed frames and of files: no page of this machine's programs has it. */
function isLoopbackOrigin(origin: string): boolean {
  return URL.canParse(origin) && isLoopbackHost(new URL(origin).hostname);
}

/** The colon is found first: a pattern that ends with the text is tried at each of its characters. */
function withoutPort(host: string): string {
  const colon = host.lastIndexOf(':');
  return colon >= 0 && PORT.test(host.slice(colon + 1)) ? host.slice(0, colon) : host;
}

const PORT = /^\d*$/;
