import { createHash } from 'node:crypto';
import { OAuth2Server } from 'oauth2-mock-server';

/** What Ada may do. */
const SCOPES = [
  ...['a2a:tasks.observe', 'a2a:tasks.read', 'a2a:tasks.operate', 'a2a:platform.observe'],
  'a2a:message.send',
].join(' ');

export interface PersonsIssuer {
  readonly url: string;
  readonly challenges: { readonly method: unknown; readonly matches: boolean }[];
  readonly close: () => Promise<void>;
}

/** An issuer at which everybody is Ada. */
export async function personsIssuer({
  lifeSeconds = 3_600,
  audience = 'https://parley.example',
} = {}): Promise<PersonsIssuer> {
  const server = new OAuth2Server();
  await server.issuer.keys.generate('RS256');
  const challenges: { method: unknown; matches: boolean }[] = [];
  let isProven = false;
  let challenge: { readonly method: unknown; readonly text: unknown } | undefined;
  server.service.on(
    'beforeAuthorizeRedirect',
    (_redirect: unknown, request: { readonly query: Record<string, unknown> }) => {
      challenge = { method: request.query.code_challenge_method, text: request.query.code_challenge };
    },
  );
  server.service.on('beforeTokenSigning', ({ header, payload }: SignedToken, { body, headers }: TokenRequest) => {
    const digest = createHash('sha256')
      .update(body.code_verifier ?? '')
      .digest('base64url');
    if (challenge !== undefined) challenges.push({ method: challenge.method, matches: challenge.text === digest });
    challenge = undefined;
    header.typ = 'at+jwt';
    Object.assign(payload, {
      sub: 'ada',
      client_id: 'console',
      jti: String(Math.random()),
      aud: audience,
    });
    payload.exp = Math.floor(Date.now() / 1_000) + lifeSeconds;
    const key = proofKey(headers.dpop);
    isProven = key !== undefined;
    if (key !== undefined) payload.cnf = { jkt: key };
    payload.scope = SCOPES;
  });
  server.service.on('beforeResponse', ({ body }: { readonly body: Record<string, unknown> }) => {
    if (isProven) body.token_type = 'DPoP';
    delete body.id_token;
    delete body.refresh_token;
  });
  await server.start(0, '127.0.0.1');
  const { port } = server.address();
  const url = `http://127.0.0.1:${String(port)}`;
  server.issuer.url = url;
  return { url, challenges, close: () => server.stop() };
}

interface SignedToken {
  readonly header: Record<string, unknown>;
  readonly payload: Record<string, unknown>;
}

interface TokenRequest {
  readonly body: Record<string, string>;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** The thumbprint (RFC 7638) of the key of a proof, which the token is bound to (RFC 9449). */
function proofKey(proof: string | undefined): string | undefined {
  if (proof === undefined) return undefined;
  const { jwk } = JSON.parse(Buffer.from(proof.split('.', 1)[0] ?? '', 'base64url').toString()) as {
    readonly jwk: Readonly<Record<string, string>>;
  };
  const { crv, kty, x, y } = jwk;
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
}
