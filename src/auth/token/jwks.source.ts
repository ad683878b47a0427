import { isJsonObject } from './compact-token.js';
import type { HttpGet } from './http-get.js';
import type { IssuerOptions } from './issuer-options.js';
import { parseKeySet, type KeySet } from './jwk-set.js';
import { isProtectedUrl } from '../incoming/loopback.js';

const LIMITS = { timeoutMs: 5_000, maxBytes: 256 * 1024 };

/** Loads the keys of one issuer, from the configured address or from the one in the issuer's metadata. */
export class JwksSource {
  private discovered: string | undefined;

  constructor(
    private readonly options: Pick<IssuerOptions, 'issuer' | 'jwksUri'>,
    private readonly http: HttpGet,
  ) {}

  /** @throws Error if the keys cannot be fetched */
  async load(): Promise<KeySet> {
    const uri = this.options.jwksUri ?? this.discovered ?? (await this.discover());
    try {
      return parseKeySet(await this.fetch(uri));
    } catch (error) {
      // The issuer may have moved its keys: read its metadata again next time.
      this.discovered = undefined;
      throw error;
    }
  }

  private async discover(): Promise<string> {
    const [openId, authorizationServer] = metadataUrls(this.options.issuer);
    const text = await this.fetch(openId).catch(() => this.fetch(authorizationServer));
    const document: unknown = JSON.parse(text);
    if (!isJsonObject(document) || document.issuer !== this.options.issuer) {
      throw new Error('The metadata document is of another issuer');
    }
    const uri = document.jwks_uri;
    if (typeof uri !== 'string') throw new Error('The metadata document names no jwks_uri');
    this.discovered = uri;
    return uri;
  }

  private async fetch(url: string): Promise<string> {
    if (!isProtectedUrl(url)) throw new Error(`Keys are fetched over https only, not from ${url}`);
    const { status, body } = await this.http.get(url, LIMITS);
    if (status !== 200) throw new Error(`${url} answered ${String(status)}`);
    return body;
  }
}

/** OpenID Connect Discovery 1.0 §4 and RFC 8414 §3.1: one appends its path to the issuer, the other inserts it. */
function metadataUrls(issuer: string): readonly [string, string] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [
    `${origin}${path}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
  ];
}
