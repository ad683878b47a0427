import { randomUUID } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createLocalJWKSet,
  exportJWK,
  type GenerateKeyPairResult,
  generateKeyPair,
  type JSONWebKeySet,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from 'jose';

/** A request for a token, as the authorization server has verified it. */
export interface SeenExchange {
  /** Without the two tokens. */
  readonly form: Readonly<Record<string, string>>;
  /** What the service says of the caller. */
  readonly subject: JWTPayload;
}

/** Answers in place of a token. */
export type Misbehavior = (response: ServerResponse, seen: SeenExchange) => void;

/**
 * An authorization server that exchanges what a client says of its callers (RFC 8693). It verifies client and assertion by the registered
 * key set, and signs access tokens by RFC 9068 that others verify by its own.
 */
export class ExchangeServer {
  readonly seen: SeenExchange[] = [];
  /** Refused requests, by their error. */
  readonly refused: string[] = [];
  /** Of the next tokens. */
  lifeSeconds = 300;
  /** Claims beside those of a good token, or in their place. */
  claims: (seen: SeenExchange) => JWTPayload = () => ({});
  misbehavior: Misbehavior | undefined;
  private readonly server: Server;
  private ids = 0;

  private constructor(
    /** The registered key sets of clients, by their ids. */
    public clients: Readonly<Record<string, JSONWebKeySet>>,
    private readonly keys: GenerateKeyPairResult,
  ) {
    this.server = createServer((request, response) => {
      let body = '';
      request.on('data', (piece: Buffer) => (body += piece.toString()));
      request.on('end', () => {
        if (request.url === '/jwks') void this.publish(response);
        else void this.exchange(new URLSearchParams(body), response);
      });
    });
  }

  static async start(clients: Readonly<Record<string, JSONWebKeySet>>): Promise<ExchangeServer> {
    const keys = await generateKeyPair('ES256', { extractable: true });
    const one = new ExchangeServer(clients, keys);
    await new Promise<void>((resolve) => one.server.listen(0, '127.0.0.1', resolve));
    return one;
  }

  get host(): string {
    return `127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  get url(): string {
    return `http://${this.host}`;
  }

  get tokenUrl(): string {
    return `${this.url}/token`;
  }

  get jwksUrl(): string {
    return `${this.url}/jwks`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async publish(response: ServerResponse): Promise<void> {
    const jwk = { ...(await exportJWK(this.keys.publicKey)), kid: 'as', alg: 'ES256', use: 'sig' };
    answer(response, 200, { keys: [jwk] });
  }

  private async exchange(form: URLSearchParams, response: ServerResponse): Promise<void> {
    const { client_assertion: proof = '', subject_token: token = '', ...rest } = Object.fromEntries(form);
    const keys = this.clients[rest.client_id ?? ''];
    const client = keys && (await this.verified(proof, keys, rest.client_id));
    if (keys === undefined || client?.sub !== rest.client_id) {
      this.refuse(response, 401, 'invalid_client');
      return;
    }
    const subject = await this.verified(token, keys, rest.client_id);
    if (subject?.sub === undefined) {
      this.refuse(response, 400, 'invalid_grant');
      return;
    }
    const seen = { form: rest, subject };
    this.seen.push(seen);
    if (this.misbehavior === undefined) answer(response, 200, await this.issued(seen));
    else this.misbehavior(response, seen);
  }

  private refuse(response: ServerResponse, status: number, error: string): void {
    this.refused.push(error);
    answer(response, status, { error });
  }

  private async verified(
    token: string,
    keys: JSONWebKeySet,
    issuer: string | undefined,
  ): Promise<JWTPayload | undefined> {
    const wanted = { audience: this.url, requiredClaims: ['jti', 'exp', 'iat'], maxTokenAge: 60 };
    return jwtVerify(token, createLocalJWKSet(keys), { ...wanted, ...(issuer === undefined ? {} : { issuer }) })
      .then(({ payload }) => payload)
      .catch(() => undefined);
  }

  /** The client acts, and what acted before it is beneath (RFC 8693 §4.1). */
  async issued(seen: SeenExchange): Promise<object> {
    const { form, subject } = seen;
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      ...{
        iss: this.url,
        sub: subject.sub ?? '',
        aud: form.audience ?? '',
        client_id: form.client_id,
        scope: form.scope,
      },
      ...{ org: subject.tenant, act: { sub: form.client_id, act: subject.act }, iat: now, exp: now + this.lifeSeconds },
      jti: `${String((this.ids += 1))}-${randomUUID()}`,
      ...this.claims(seen),
    };
    const header = { alg: 'ES256', kid: 'as', typ: 'at+jwt' };
    return {
      access_token: await new SignJWT(claims).setProtectedHeader(header).sign(this.keys.privateKey),
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      ...{ token_type: 'Bearer', expires_in: this.lifeSeconds },
    };
  }
}

/** An answer in JSON. */
export function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
