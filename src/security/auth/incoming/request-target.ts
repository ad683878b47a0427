/** The request line of HTTP/1.1 as Node has read it. */
export interface RequestTarget {
  url?: string | undefined;
  readonly headers: { host?: string | undefined };
  readonly rawHeaders: string[];
}

/** The target of an absolute-form request: scheme, authority, and the rest, which may be empty (RFC 9112 §3.2.2). */
const ABSOLUTE = /^https?:\/\/([^/?#]*)(.*)$/is;

/**
 * The one reading of a request target: Fastify's `rewriteUrl`, so that the router, all hooks and all guards read the same
 * string afterwards. An absolute form becomes a path, and its authority the `Host` of the request, as RFC 9112 §3.2.2
 * demands. In the path, encoded letters that need no encoding are decoded (RFC 3986 §6.2.2.2), and `#`, which no target may
 * have and which the router would take for a `?`, is encoded.
 */
export function readTarget(request: RequestTarget): string {
  const { url = '/' } = request;
  if (url.startsWith('/')) return canonicalTarget(url);
  const [, authority = '', rest = ''] = ABSOLUTE.exec(url) ?? [];
  if (authority === '') return url;
  renameHost(request, authority.slice(authority.lastIndexOf('@') + 1));
  return canonicalTarget(rest.startsWith('/') ? rest : `/${rest}`);
}

/** Path and query with one spelling of the path; the query stays as it was sent. */
export function canonicalTarget(target: string): string {
  if (!target.includes('%') && !target.includes('#')) return target;
  const at = target.indexOf('?');
  const [path, query] = at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at)];
  return path.replace(/%[0-9a-f]{2}/gi, decodedLetter).replaceAll('#', '%23') + query;
}

function decodedLetter(encoded: string): string {
  const letter = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
  return /[\w.~-]/.test(letter) ? letter : encoded;
}

/** Both forms in which Node keeps headers: `Host` is read from either. */
function renameHost({ headers, rawHeaders }: RequestTarget, host: string): void {
  headers.host = host;
  const at = rawHeaders.flatMap((name, index) => (index % 2 === 0 && name.toLowerCase() === 'host' ? index : []));
  for (const index of at) rawHeaders[index + 1] = host;
  if (at.length === 0) rawHeaders.push('Host', host);
}
