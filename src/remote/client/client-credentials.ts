import { isJsonObject } from '../../wire/json-value.js';
import { parseJson } from '../../wire/parse-json.js';
import { type AgentAuth, bearerCredential, type Credential } from './agent-auth.js';
import { type AgentHttp, readAll } from './agent-http.js';
import type { ClientKey } from './client-assertion.js';
import { failedAnswer } from './failed-answer.js';
import { invalidAnswer, RemoteError } from './remote-errors.js';

/** How a client gets its own tokens (RFC 6749 §4.4), for one agent. */
export interface ClientCredentials {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  /** In place of a secret: a proof for each request, for this audience. */
  readonly assertion?: { readonly key: ClientKey; readonly audience: string };
  readonly scope?: string;
  /** Sent as `audience`, for issuers that know it. */
  readonly audience?: string;
  /** Sent as `resource` (RFC 8707). */
  readonly resource?: string;
}

/** A token is renewed so long before it ends. */
const RENEW_EARLY_MS = 30_000;
/** Of a token whose answer does not tell its life. */
const USUAL_LIFE_MS = 300_000;
/** A refused token is renewed at most so often: a wrong configuration must not flood the issuer. */
const RENEW_PAUSE_MS = 5000;
const MOST_BYTES = 64 * 1024;
const DEADLINES = { headers: 5000, idle: 5000, total: 10_000 };

interface Token {
  readonly value: string;
  readonly renewAt: number;
}

/** OAuth2 client credentials: one token per agent, renewed before it ends, with one request however many calls wait. */
export class ClientCredentialsAuth implements AgentAuth {
  private token: Token | undefined;
  private asking: Promise<Token> | undefined;
  private renewedAt = 0;

  constructor(
    private readonly options: ClientCredentials,
    private readonly http: AgentHttp,
    private readonly now: () => number = Date.now,
  ) {}

  async credential(): Promise<Credential> {
    if (this.token === undefined || this.token.renewAt <= this.now()) this.token = await this.ask();
    return bearerCredential(this.token.value);
  }

  renew(): boolean {
    const now = this.now();
    if (now - this.renewedAt < RENEW_PAUSE_MS) return false;
    this.renewedAt = now;
    this.token = undefined;
    return true;
  }

  private ask(): Promise<Token> {
    this.asking ??= this.request().finally(() => {
      this.asking = undefined;
    });
    return this.asking;
  }

  private async request(): Promise<Token> {
    const answer = await this.http.send({
      method: 'POST',
      url: this.options.tokenUrl,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
        ...(this.options.clientSecret === undefined ? {} : { authorization: basic(this.options) }),
      },
      body: formOf(this.options, await proofOf(this.options)),
      deadlines: DEADLINES,
    });
    if (answer.status !== 200) throw tokenRefused(await failedAnswer(answer));
    const tooLarge = (): RemoteError => invalidAnswer('The answer of the token endpoint is too large');
    return readToken(parseJson(await readAll(answer.body, MOST_BYTES, tooLarge)), this.now());
  }
}

/** A token endpoint that refuses is a fault of the credentials; one that is down is not. */
function tokenRefused(error: RemoteError): RemoteError {
  if (error.isRetryable) return error;
  return new RemoteError('auth', `The token endpoint refused the client (${String(error.status)})`, { cause: error });
}

function readToken(body: unknown, now: number): Token {
  if (!isJsonObject(body) || typeof body.access_token !== 'string' || body.access_token === '') {
    throw invalidAnswer('The answer of the token endpoint has no access_token');
  }
  const life = typeof body.expires_in === 'number' && body.expires_in > 0 ? body.expires_in * 1000 : USUAL_LIFE_MS;
  // A short token is used for half of its life at least.
  return { value: body.access_token, renewAt: now + Math.max(life - RENEW_EARLY_MS, life / 2) };
}

const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Loaded when it is needed: the command line starts without it. */
async function proofOf({ assertion, clientId }: ClientCredentials): Promise<Readonly<Record<string, string>>> {
  if (assertion === undefined) return {};
  const { clientAssertion } = await import('./client-assertion.js');
  const proof = await clientAssertion(assertion.key, { clientId, audience: assertion.audience });
  return { client_id: clientId, client_assertion_type: JWT_BEARER, client_assertion: proof };
}

function formOf({ scope, audience, resource }: ClientCredentials, proof: Readonly<Record<string, string>>): string {
  const form = new URLSearchParams({ grant_type: 'client_credentials', ...proof });
  for (const [name, value] of Object.entries({ scope, audience, resource })) {
    if (value !== undefined) form.set(name, value);
  }
  return form.toString();
}

/** RFC 6749 §2.3.1: both are form-encoded before they are joined. */
function basic({ clientId, clientSecret = '' }: ClientCredentials): string {
  const encode = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);
  return `Basic ${Buffer.from(`${encode(clientId)}:${encode(clientSecret)}`).toString('base64')}`;
}
