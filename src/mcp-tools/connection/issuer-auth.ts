import type { ClientProof } from '../../outbound/client-proof.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { parseJson } from '@parley/protocol/json/parse-json.js';
import { type AgentAuth, type Credential } from '@parley/client/http/agent-auth.js';
import { type AgentHttp, readAll } from '@parley/client/http/agent-http.js';
import { ClientCredentialsAuth } from '@parley/client/auth/client-credentials.js';
import { invalidAnswer, RemoteError } from '@parley/client/http/remote-errors.js';

/** A client of an issuer, with its proof. */
export interface IssuerClient extends ClientProof {
  /** From the operator's file: issuers named by a tool server are never used. */
  readonly issuer: string;
  readonly clientId: string;
  readonly scope?: string;
  /** The server that the tokens are for (RFC 8707). */
  readonly resource: string;
}

const MAX_BYTES = 64 * 1024;
const DEADLINES = { headers: 5000, idle: 5000, total: 10_000 };

/**
 * Tokens by client credentials from one issuer. Its token endpoint is that of its metadata (RFC 8414), which must name
 * the issuer itself; every address passes the egress guard, and the secret or the proof by its key goes to the issuer's
 * token endpoint only.
 */
export class IssuerAuth implements AgentAuth {
  private found: Promise<ClientCredentialsAuth> | undefined;
  private tokens: ClientCredentialsAuth | undefined;

  constructor(
    private readonly client: IssuerClient,
    private readonly http: AgentHttp,
  ) {}

  async credential(): Promise<Credential> {
    this.found ??= this.discovered();
    try {
      this.tokens = await this.found;
    } catch (error) {
      this.found = undefined;
      throw error;
    }
    return this.tokens.credential();
  }

  renew(refused?: Credential): boolean {
    return this.tokens?.renew(refused) ?? false;
  }

  private async discovered(): Promise<ClientCredentialsAuth> {
    const { issuer, key, ...client } = this.client;
    const answer = await this.http.send({
      method: 'GET',
      url: metadataUrl(issuer),
      headers: { accept: 'application/json' },
      deadlines: DEADLINES,
    });
    const tooLarge = (): RemoteError => invalidAnswer('The metadata of the issuer is too large');
    const text = await readAll(answer.body, MAX_BYTES, tooLarge);
    const metadata: unknown = answer.status === 200 ? parseJson(text) : undefined;
    if (!isJsonObject(metadata)) throw new RemoteError('auth', 'The issuer has no metadata');
    if (metadata.issuer !== issuer)
      throw new RemoteError('auth', 'The metadata names another issuer: the secret is not sent');
    const { token_endpoint: tokenUrl } = metadata;
    if (typeof tokenUrl !== 'string') throw new RemoteError('auth', 'The metadata of the issuer has no token endpoint');
    const assertion = key && { key, audience: issuer };
    return new ClientCredentialsAuth({ ...client, tokenUrl, ...(assertion && { assertion }) }, this.http);
  }
}

/** RFC 8414 §3.1: the well-known part comes before the path of the issuer. */
function metadataUrl(issuer: string): string {
  const { origin, pathname } = new URL(issuer);
  return `${origin}/.well-known/oauth-authorization-server${pathname === '/' ? '' : pathname.replace(/\/$/, '')}`;
}
