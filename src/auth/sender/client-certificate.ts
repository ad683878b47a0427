import { createHash, X509Certificate } from 'node:crypto';
import { TLSSocket } from 'node:tls';
import ipaddr from 'ipaddr.js';
import type { CertificateOptions } from '../auth-options.js';
import type { HttpRequest } from '../incoming-call.js';

/**
 * The thumbprint of the caller's TLS certificate (RFC 8705 §3.1), undefined where none was verified. A header counts
 * only from the networks of the ingress, by the address of the socket, which no header can change.
 */
export function certificateThumbprint(request: HttpRequest, options: CertificateOptions): string | undefined {
  const { socket, headers } = request.raw;
  if (options.from === 'tls') {
    if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
    return thumbprint(socket.getPeerCertificate().raw);
  }
  const value = headers[options.header ?? ''];
  if (typeof value !== 'string' || !isWithin(socket.remoteAddress, options.ingressNetworks ?? [])) return undefined;
  return thumbprintOfPem(value);
}

function thumbprintOfPem(value: string): string | undefined {
  try {
    return thumbprint(new X509Certificate(decodeURIComponent(value)).raw);
  } catch {
    return undefined;
  }
}

function thumbprint(certificate: Buffer): string {
  return createHash('sha256').update(certificate).digest('base64url');
}

function isWithin(address: string | undefined, networks: readonly string[]): boolean {
  if (address === undefined || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return networks.some((network) => {
    const [range, bits] = ipaddr.parseCIDR(network);
    return range.kind() === parsed.kind() && parsed.match(range, bits);
  });
}
