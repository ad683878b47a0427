import { parseTarget } from '../address/target.js';
import { RemoteError } from '../http/remote-errors.js';

/** Well-known paths of cards below an origin: newer versions of A2A first (A2A-CARD-01, V02-04). */
const WELL_KNOWN = ['/.well-known/agent-card.json', '/.well-known/agent.json'] as const;

/**
 * The URLs at which the card of a reference may be, best first: a full URL of a card is used as it is; to a host, an
 * origin or a base path the well-known paths are added.
 * @throws RemoteError unsupported for a text that names no http address, or one whose host a parser would have to repair
 */
export function cardUrls(reference: string): readonly string[] {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(reference) ? reference : `${schemeFor(reference)}://${reference}`;
  if (typeof parseTarget(text) === 'string')
    throw new RemoteError(
      'unsupported',
      `${JSON.stringify(reference)} is neither a host nor an http URL in its plain form`,
    );
  const url = new URL(text);
  if (/\.json$|agent-card$/.test(url.pathname) || url.search !== '') return [url.href];
  const base = `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
  return WELL_KNOWN.map((path) => `${base}${path}`);
}

/** Whether a URL is one at which a host vouches for its agent: a well-known path of the origin. */
export function isWellKnown(url: string): boolean {
  const { pathname, search } = new URL(url);
  return search === '' && WELL_KNOWN.some((path) => path === pathname);
}

/** A host of this machine is spoken to without TLS, any other with it. */
function schemeFor(reference: string): 'http' | 'https' {
  return /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?(\/|$)/.test(reference) ? 'http' : 'https';
}
