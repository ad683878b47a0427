import { createHash, X509Certificate } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import type { CertificateOptions } from '../auth-options.js';
import type { HttpRequest } from '../incoming-call.js';

/**
 * The thumbprint of the caller's TLS certificate (RFC 8705 §3.1), undefined where the ingress passes none on. Its header
 * counts only from the networks of the ingress, by the address of the socket, which no header can change.
 */
export function certificateThumbprint(request: HttpRequest, options: CertificateOptions): string | undefined {
  const { socket, headers } = request.raw;
  const value = headers[options.header];
  if (typeof value !== 'string' || !isWithin(socket.remoteAddress, options.ingressNetworks)) return undefined;
  return thumbprintOf(value);
}

function thumbprintOf(value: string): string | undefined {
  try {
    const certificate = new X509Certificate(decodeURIComponent(value));
    return createHash('sha256').update(certificate.raw).digest('base64url');
  } catch {
    return undefined;
  }
}

function isWithin(address: string | undefined, networks: readonly string[]): boolean {
  if (address === undefined || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return networks.some((network) => {
    const [range, bits] = ipaddr.parseCIDR(network);
    return range.kind() === parsed.kind() && parsed.match(range, bits);
  });
}
