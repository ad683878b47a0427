import type { AgentHttp } from '../http/agent-http.js';
import { type AssertionFile, claimsOf } from './assertion-file.js';
import { type AssertedCaller, callerAssertion, type ClientKey } from './client-assertion.js';
import {
  askToken,
  checkAudience,
  oauthErrorOf,
  requestToken,
  type Grant,
  type Token,
  type TokenClient,
  tokenFault,
} from './token-request.js';

/** How tokens for one agent are got that name the caller (RFC 8693). */
export interface TokenExchange {
  readonly tokenUrl: string;
  readonly clientId: string;
  /** Signs this service's assertion of the caller, and the proof of the client where there is no secret. */
  readonly key: ClientKey;
  readonly clientSecret?: string;
  /** Proves the client in place of secret and key. */
  readonly assertionFile?: AssertionFile;
  /** The authorization server, as assertions name it; default: its token endpoint. */
  readonly issuer?: string;
  readonly scope?: string;
  readonly audience?: string;
  readonly resource?: string;
  /** `same`: the token must be for the subject that was asserted. `mapped`: the authorization server has names of its own. */
  readonly subjects: 'same' | 'mapped';
}

const GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';
const JWT = 'urn:ietf:params:oauth:token-type:jwt';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';

/**
 * A token by which an agent knows the caller, with this service as the one that acts. The caller's own token is no part of it: the service
 * says for whom its task runs, and the authorization server decides. @throws RemoteError
 */
export async function exchangedToken(
  exchange: TokenExchange,
  caller: AssertedCaller,
  http: AgentHttp,
  now: () => number = Date.now,
): Promise<Token> {
  const { clientId, scope, audience, resource } = exchange;
  if (caller.subject === clientId) throw tokenFault('the caller has the name of this service itself');
  const subject = await callerAssertion(exchange.key, caller, { clientId, audience: audienceOf(exchange) });
  const grant = { ...grantOf(subject), scope, audience, resource };
  const { body, ...token } = await requestToken(http, clientOf(exchange), grant, now);
  checkType(body.issued_token_type);
  checkClaims(token.value, exchange, caller);
  return token;
}

/**
 * Reason why an authorization server would refuse every exchange of this client, or undefined. Requests no caller's token.
 * @throws RemoteError where it cannot be reached
 */
export async function exchangeFault(exchange: TokenExchange, http: AgentHttp): Promise<string | undefined> {
  const { audience, resource } = exchange;
  const { status, body } = await askToken(http, clientOf(exchange), { ...grantOf('nobody'), audience, resource });
  const error = oauthErrorOf(body);
  if (error !== undefined) return FAULTS_OF_CLIENT.includes(error) ? error : undefined;
  return status === 400 ? undefined : `status ${String(status)}`;
}

const FAULTS_OF_CLIENT = ['invalid_client', 'unauthorized_client', 'unsupported_grant_type', 'invalid_target'];

function grantOf(subject: string): Grant {
  return {
    grant_type: GRANT,
    subject_token: subject,
    subject_token_type: JWT,
    requested_token_type: ACCESS_TOKEN,
  };
}

function clientOf({ tokenUrl, clientId, clientSecret, assertionFile, key, ...exchange }: TokenExchange): TokenClient {
  if (clientSecret !== undefined) return { tokenUrl, clientId, clientSecret };
  if (assertionFile !== undefined) return { tokenUrl, clientId, assertionFile };
  return { tokenUrl, clientId, assertion: { key, audience: audienceOf({ ...exchange, tokenUrl }) } };
}

function audienceOf({ issuer, tokenUrl }: Pick<TokenExchange, 'issuer' | 'tokenUrl'>): string {
  return issuer ?? tokenUrl;
}

/** RFC 8693 §2.2.1: the issued token may be of another type than the requested one. */
function checkType(issued: unknown): void {
  if (issued === undefined || issued === ACCESS_TOKEN || issued === JWT) return;
  throw tokenFault('what it has issued is no access token');
}

/**
 * A token that can be read is checked before an agent gets it. The agent alone judges its signature; here it is about a mix-up at the
 * authorization server.
 */
function checkClaims(
  token: string,
  { audience, resource, subjects }: TokenExchange,
  { subject }: AssertedCaller,
): void {
  const claims = claimsOf(token);
  if (claims === undefined) return;
  checkAudience(token, [audience, resource]);
  if (claims.sub !== undefined && claims.sub !== subject && subjects === 'same') {
    throw tokenFault('its token is for another caller');
  }
}
