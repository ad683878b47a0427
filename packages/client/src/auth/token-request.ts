import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { parseJson } from '@parley/protocol/json/parse-json.js';
import { type AgentAnswer, type AgentHttp, readAll } from '../http/agent-http.js';
import { type AssertionFile, ASSERTION_TYPES, claimsOf, readAssertion } from './assertion-file.js';
import type { ClientKey } from './client-assertion.js';
import { retryAfterOf } from '../http/failed-answer.js';
import { RemoteError } from '../http/remote-errors.js';

/** A client at the token endpoint of its authorization server (RFC 6749 §3.2). */
export interface TokenClient {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  /** In place of a secret: a proof for each request, for this audience (RFC 7523 §2.2). */
  readonly assertion?: { readonly key: ClientKey; readonly audience: string };
  /** In place of both: a proof that the platform writes. */
  readonly assertionFile?: AssertionFile;
}

/** The parameters of a grant; those without a value are left out. */
export type Grant = Readonly<Record<string, string | undefined>>;

/** Answer of a token endpoint. */
export interface TokenAnswer {
  readonly status: number;
  /** Undefined for one that is no JSON object. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly retryAfterMs: number | undefined;
}

/** An access token, as a client uses it. */
export interface Token {
  readonly value: string;
  /** Ms since 1970: from then on another one is asked for. */
  readonly renewAt: number;
}

/** A token is renewed this long before it expires. */
const RENEW_EARLY_MS = 30_000;
/** Lifetime of a token whose answer states none. */
const DEFAULT_LIFE_MS = 300_000;
/** Upper bound of every lifetime: a revoked token is not used longer than this. */
const MAX_LIFE_MS = 3_600_000;
const MAX_BYTES = 64 * 1024;
const DEADLINES = { headers: 5000, idle: 5000, total: 10_000 };
/** A token fits a header line: visible characters, and fewer than servers take of one. */
const TOKEN = /^[\x21-\x7e]{1,8192}$/;

/**
 * Asks for a token. All that goes wrong here went wrong before the agent was called. @throws RemoteError `auth` where the authorization
 * server refuses; `unreachable`, `timeout` or `busy` where it may not later
 * @param now ms since 1970
 */
export async function requestToken(
  http: AgentHttp,
  client: TokenClient,
  grant: Grant,
  now: () => number,
): Promise<Token & { readonly body: Readonly<Record<string, unknown>> }> {
  const askedAt = now();
  const answer = await askToken(http, client, grant);
  if (answer.status !== 200) throw refusal(answer);
  return readToken(answer.body, askedAt);
}

/**
 * One request, with its answer as it came; a second one where the server refuses a proof whose file was replaced
 * meanwhile. @throws RemoteError
 */
export async function askToken(http: AgentHttp, client: TokenClient, grant: Grant): Promise<TokenAnswer> {
  const proof = await proofOf(client);
  const answer = await askOnce(http, client, { ...grant, ...proof });
  if (client.assertionFile === undefined || (answer.status !== 400 && answer.status !== 401)) return answer;
  const next = await proofOf(client);
  return next.client_assertion === proof.client_assertion ? answer : askOnce(http, client, { ...grant, ...next });
}

async function askOnce(http: AgentHttp, client: TokenClient, form: Grant): Promise<TokenAnswer> {
  try {
    const answer = await http.send({
      method: 'POST',
      url: client.tokenUrl,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
        ...(client.clientSecret === undefined ? {} : { authorization: basic(client) }),
      },
      body: formOf(form),
      deadlines: DEADLINES,
    });
    const { status, headers } = answer;
    return { status, body: await bodyOf(answer), retryAfterMs: retryAfterOf(headers['retry-after']) };
  } catch (error) {
    throw unsent(error);
  }
}

async function bodyOf({ body }: AgentAnswer): Promise<TokenAnswer['body']> {
  const tooLarge = (): RemoteError => tokenFault('its answer is too large');
  const text = await readAll(body, MAX_BYTES, tooLarge);
  try {
    const value = parseJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function readToken(
  body: TokenAnswer['body'],
  askedAt: number,
): Token & { readonly body: Readonly<Record<string, unknown>> } {
  const value = body?.access_token;
  const error = oauthErrorOf(body);
  if (error !== undefined) throw tokenFault(`${REASONS[error] ?? 'it refuses the client'} (${error})`);
  if (body === undefined || typeof value !== 'string' || !TOKEN.test(value)) {
    throw tokenFault('its answer has no access_token');
  }
  if (typeof body.token_type === 'string' && body.token_type.toLowerCase() !== 'bearer') {
    throw tokenFault('its token is no bearer token');
  }
  const life = Math.min(lifeMsOf(body.expires_in), MAX_LIFE_MS);
  // A short token is used for half of its life at least.
  return { value, body, renewAt: askedAt + Math.max(life - RENEW_EARLY_MS, life / 2) };
}

/**
 * How long a token lives, ms, by the seconds of `expires_in`, which some servers write as a text. One that has ended when it came
 * is used for the one call that it was requested for.
 */
export function lifeMsOf(expiresIn: unknown): number {
  const seconds = typeof expiresIn === 'string' && expiresIn.trim() !== '' ? Number(expiresIn) : expiresIn;
  if (typeof seconds !== 'number' || Number.isNaN(seconds)) return DEFAULT_LIFE_MS;
  return Math.max(0, seconds * 1000);
}

/** An endpoint that refuses is a fault of the credentials; one that is down is not. */
function refusal({ status, body, retryAfterMs }: TokenAnswer): RemoteError {
  if (status === 408 || status === 425 || status === 429 || status >= 500) {
    const text = `The authorization server answered ${String(status)}`;
    return new RemoteError('busy', text, { retryAfterMs, isUnsent: true });
  }
  const error = oauthErrorOf(body);
  return tokenFault(`${REASONS[error ?? ''] ?? 'it refuses the client'} (${error ?? String(status)})`);
}

/** Meaning of the errors of RFC 6749 §5.2 and RFC 8693 §2.2.2, in words. */
const REASONS: Readonly<Record<string, string>> = {
  access_denied: 'it does not let the caller use this agent',
  invalid_client: 'it does not know this service by its credentials',
  invalid_grant: 'it does not take what this service says of the caller',
  invalid_scope: 'it does not grant the scope',
  invalid_target: 'it gives no tokens for this agent',
  unauthorized_client: 'it does not let this service ask for such tokens',
  unsupported_grant_type: 'it does not know this kind of grant',
};

/** The code of a refusal; undefined for one without, or with something else in its place. */
export function oauthErrorOf(body: TokenAnswer['body']): string | undefined {
  const error = body?.error;
  return typeof error === 'string' && /^[a-z_]{1,64}$/.test(error) ? error : undefined;
}

/** The authorization server gives no token that can be used. Asking again does not help. */
export function tokenFault(why: string): RemoteError {
  return new RemoteError('auth', `The authorization server gives no token: ${why}`, { isUnsent: true });
}

function unsent(error: unknown): unknown {
  if (!(error instanceof RemoteError) || error.isUnsent) return error;
  const text = `The authorization server: ${error.message.replace(/^The agent /, 'it ')}`;
  return new RemoteError(error.kind, text, { retryAfterMs: error.retryAfterMs, cause: error, isUnsent: true });
}

/** Loaded when it is needed: the command line starts without it. */
async function proofOf({ assertion, assertionFile, clientId }: TokenClient): Promise<Grant> {
  if (assertionFile !== undefined) {
    const { token } = await readAssertion(assertionFile);
    return { ...asClient(clientId, assertionFile.type), client_assertion: token };
  }
  if (assertion === undefined) return {};
  const { clientAssertion } = await import('./client-assertion.js');
  const proof = await clientAssertion(assertion.key, { clientId, audience: assertion.audience });
  return { ...asClient(clientId, 'jwt-bearer'), client_assertion: proof };
}

function asClient(clientId: string, type: AssertionFile['type']): Grant {
  return { client_id: clientId, client_assertion_type: ASSERTION_TYPES[type] };
}

/**
 * Checks that a token that can be read is for one of these parties (RFC 8707 §2.2), before one of them gets it. Its
 * receiver alone judges the signature: here it is about a mix-up at the authorization server. @throws RemoteError
 */
export function checkAudience(token: string, wanted: readonly (string | undefined)[]): void {
  const names = wanted.filter((one) => one !== undefined);
  const { aud } = claimsOf(token) ?? {};
  if (aud === undefined || names.length === 0) return;
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (!named.some((one) => names.some((name) => name === one))) throw tokenFault('its token is for another agent');
}

function formOf(grant: Grant): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(grant)) if (value !== undefined) form.set(name, value);
  return form.toString();
}

/** RFC 6749 §2.3.1: both are form-encoded before they are joined. */
function basic({ clientId, clientSecret = '' }: TokenClient): string {
  const encode = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);
  return `Basic ${Buffer.from(`${encode(clientId)}:${encode(clientSecret)}`).toString('base64')}`;
}
