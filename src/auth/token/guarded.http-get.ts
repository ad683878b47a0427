import { type AllowEntry, parseAllowList } from '../../outbound/allow-list.js';
import { GuardedClient } from '../../outbound/guarded-client.js';
import { HttpGet, type HttpGetAnswer, type HttpGetLimits } from './http-get.js';
import type { IssuerOptions } from './issuer-options.js';

type Addresses = Pick<IssuerOptions, 'issuer' | 'jwksUri'>;

/**
 * Fetches issuers' documents through the egress guard. Hosts named by the operator may be inside the network, but never
 * a metadata service; a host named only by an issuer's document must be public.
 */
export class GuardedHttpGet extends HttpGet {
  private readonly client: GuardedClient;

  constructor(issuers: readonly Addresses[]) {
    super();
    const urls = issuers.flatMap(({ issuer, jwksUri }) => (jwksUri === undefined ? [issuer] : [issuer, jwksUri]));
    this.client = new GuardedClient({ ports: [443], allowHttp: false, allow: urls.flatMap(allowed) });
  }

  override async get(url: string, { timeoutMs, maxBytes }: HttpGetLimits): Promise<HttpGetAnswer> {
    const headers = { accept: 'application/json' };
    const signal = AbortSignal.timeout(timeoutMs);
    const { status, body, truncated } = await this.client.request({ method: 'GET', url, headers, maxBytes, signal });
    if (truncated) throw new Error(`The answer of ${new URL(url).host} is larger than ${String(maxBytes)} bytes`);
    return { status, body: body.toString('utf8') };
  }
}

function allowed(url: string): readonly AllowEntry[] {
  const { protocol, hostname, port } = new URL(url);
  const host = `${hostname}:${port === '' ? usualPort(protocol) : port}`;
  const places = protocol === 'https:' ? ['0.0.0.0/0', '::/0'] : ['127.0.0.0/8!http', '::1/128!http'];
  return parseAllowList(places.map((place) => `${host}=${place}`).join(';'));
}

function usualPort(protocol: string): string {
  return protocol === 'https:' ? '443' : '80';
}
