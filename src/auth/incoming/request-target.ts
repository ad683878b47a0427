/** The request line of HTTP/1.1 as read by Node. */
export interface RequestTarget {
  url?: string | undefined;
  readonly headers: { host?: string | undefined };
  readonly rawHeaders: string[];
}

/** The target of an absolute-form request: scheme, authority, and the rest, which may be empty (RFC 9112 §3.2.2). */
const ABSOLUTE = /^https?:\/\/([^/?#]*)(.*)$/is;

/**
 * The only parser of request targets: Fastify's `rewriteUrl`, so that the router, all hooks and all guards read the
 * same string. An absolute form becomes a path, and its authority the `Host` of the request (RFC 9112 §3.2.2). In the
 * path, needlessly encoded letters are decoded (RFC 3986 §6.2.2.2), and `#`, which is invalid in a target and which the
 * router would read as `?`, is encoded. Proxies that strip a prefix without its slash leave two at the begin of the paths
 * of JSON-RPC and of the card: these are read as one. Other paths stay, so that a proxy's rule for one is not avoided.
 */
export function readTarget(request: RequestTarget): string {
  const { url = '/' } = request;
  if (url.startsWith('/')) return canonicalTarget(url);
  const [, authority = '', rest = ''] = ABSOLUTE.exec(url) ?? [];
  if (authority === '') return url;
  renameHost(request, authority.slice(authority.lastIndexOf('@') + 1));
  return canonicalTarget(rest.startsWith('/') ? rest : `/${rest}`);
}

const DOUBLED = /^\/{2,}(?=$|\?|\.well-known\/)/;

/** Path and query with a canonical path; the query stays unchanged. */
export function canonicalTarget(target: string): string {
  if (!target.includes('%') && !target.includes('#')) return target.replace(DOUBLED, '/');
  const at = target.indexOf('?');
  const [path, query] = at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at)];
  return (path.replace(/%[0-9a-f]{2}/gi, decodedLetter).replaceAll('#', '%23') + query).replace(DOUBLED, '/');
}

function decodedLetter(encoded: string): string {
  const letter = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
  return /[\w.~-]/.test(letter) ? letter : encoded;
}

/** Node keeps headers in two forms: `Host` is read from either. */
function renameHost({ headers, rawHeaders }: RequestTarget, host: string): void {
  headers.host = host;
  const at = rawHeaders.flatMap((name, index) => (index % 2 === 0 && name.toLowerCase() === 'host' ? index : []));
  for (const index of at) rawHeaders[index + 1] = host;
  if (at.length === 0) rawHeaders.push('Host', host);
}
