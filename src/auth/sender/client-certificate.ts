import { createHash, X509Certificate } from 'node:crypto';
import type { AuthOptions } from '../auth-options.js';
import { isWithin } from '../incoming/caller-address.js';
import type { HttpRequest } from '../incoming/incoming-call.js';

/**
 * The thumbprint of the caller's TLS certificate (RFC 8705 §3.1); undefined if the ingress passes none on. The header
 * is trusted only from the networks of the ingress, by the socket's address, which no header can change.
 */
export function certificateThumbprint(
  request: HttpRequest,
  { clientCertificates, ingressNetworks = [] }: Pick<AuthOptions, 'clientCertificates' | 'ingressNetworks'>,
): string | undefined {
  if (clientCertificates === undefined) return undefined;
  const { socket, headers } = request.raw;
  const value = headers[clientCertificates.header];
  if (typeof value !== 'string' || !isWithin(socket.remoteAddress, ingressNetworks)) return undefined;
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
