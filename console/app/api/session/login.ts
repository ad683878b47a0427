import * as oauth from 'oauth4webapi';
import type { CodeLogin } from '../types.js';
import { navigate } from '../../router.js';
import type { Bearer } from './bearer.js';

/** State that must survive the redirect to the issuer and back: no token, and a verifier that is useless without the code. */
interface Begun {
  readonly verifier: string;
  readonly state: string;
  readonly path: string;
}

const BEGUN = 'parley.login';
const REDIRECT = new URL('/console/', location.href).href;

/** Sends the browser to the issuer: authorization code with PKCE (RFC 7636), for this service (RFC 8707). */
export async function begin(login: CodeLogin, scopes: readonly string[]): Promise<void> {
  const server = await discovered(login);
  const begun: Begun = {
    ...{ verifier: oauth.generateRandomCodeVerifier(), state: oauth.generateRandomState() },
    path: location.pathname + location.search,
  };
  sessionStorage.setItem(BEGUN, JSON.stringify(begun));
  const target = new URL(endpoint(server.authorization_endpoint));
  const params = {
    ...{ response_type: 'code', client_id: login.clientId, redirect_uri: REDIRECT, scope: scopes.join(' ') },
    ...{ state: begun.state, resource: login.resource, code_challenge_method: 'S256' },
    code_challenge: await oauth.calculatePKCECodeChallenge(begun.verifier),
  };
  for (const [name, value] of Object.entries(params)) target.searchParams.set(name, value);
  location.assign(target);
}

/** Changes the code for a token and goes back to where the user was. @throws Error in words for the user */
export async function finish(login: CodeLogin, scopes: readonly string[]): Promise<Bearer> {
  const stored = sessionStorage.getItem(BEGUN);
  sessionStorage.removeItem(BEGUN);
  const here = new URL(location.href);
  history.replaceState(null, '', '/console/');
  if (stored === null) throw new Error('This log-in was not begun in this tab. Begin anew.');
  const begun = JSON.parse(stored) as Begun;
  const server = await discovered(login);
  const client: oauth.Client = { client_id: login.clientId };
  const params = oauth.validateAuthResponse(server, client, here, begun.state);
  const proof = await proofOf(login, server, client);
  const more = { additionalParameters: { resource: login.resource }, ...proof.option, ...insecure(login) };
  const ask = (): Promise<Response> =>
    oauth.authorizationCodeGrantRequest(server, client, oauth.None(), params, REDIRECT, begun.verifier, more);
  const token = await withNonce(ask, (response) => oauth.processAuthorizationCodeResponse(server, client, response));
  navigate(begun.path.startsWith('/console') ? begun.path : '/console/', { replace: true });
  return bearerOf({ login, scopes, server, client, proof }, token);
}

interface Parties {
  readonly login: CodeLogin;
  readonly scopes: readonly string[];
  readonly server: oauth.AuthorizationServer;
  readonly client: oauth.Client;
  readonly proof: Proof;
}

interface Proof {
  readonly handle: oauth.DPoPHandle | undefined;
  readonly option: { readonly DPoP?: oauth.DPoPHandle };
}

function bearerOf(parties: Parties, token: oauth.TokenEndpointResponse): Bearer {
  const { server, client, proof, login } = parties;
  const { access_token: access, refresh_token: again } = token;
  return {
    fetch: (url, init) => {
      if (token.token_type === 'dpop' && proof.handle !== undefined)
        return provenFetch(url, init, { access, ...parties });
      const headers = new Headers(init.headers);
      headers.set('authorization', `Bearer ${access}`);
      return fetch(url, { ...init, headers });
    },
    renew: async () => {
      if (again === undefined) return undefined;
      const more = { additionalParameters: { resource: login.resource }, ...proof.option, ...insecure(login) };
      const ask = (): Promise<Response> => oauth.refreshTokenGrantRequest(server, client, oauth.None(), again, more);
      const next = await withNonce(ask, (response) => oauth.processRefreshTokenResponse(server, client, response));
      return bearerOf(parties, { ...next, refresh_token: next.refresh_token ?? again });
    },
    logOut: () => {
      const end = server.end_session_endpoint;
      return end === undefined ? undefined : `${end}?client_id=${encodeURIComponent(login.clientId)}`;
    },
  };
}

/** A request with a proof that the page has the key of the token (RFC 9449); once more where the service wants its nonce in it. */
async function provenFetch(
  url: string,
  init: RequestInit,
  { access, proof, login }: Pick<Parties, 'proof' | 'login'> & { readonly access: string },
): Promise<Response> {
  const { method = 'GET', signal } = init;
  const body = typeof init.body === 'string' ? init.body : null;
  const options = { ...proof.option, ...insecure(login), ...(signal ? { signal } : {}) };
  const ask = (): Promise<Response> =>
    oauth.protectedResourceRequest(
      access,
      method,
      new URL(url, location.href),
      new Headers(init.headers),
      body,
      options,
    );
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof oauth.WWWAuthenticateChallengeError)) throw error;
    return oauth.isDPoPNonceError(error) ? ask() : error.response;
  }
}

async function discovered(login: CodeLogin): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(login.issuer);
  for (const algorithm of ['oidc', 'oauth2'] as const) {
    try {
      const response = await oauth.discoveryRequest(issuer, { algorithm, ...insecure(login) });
      return await oauth.processDiscoveryResponse(issuer, response);
    } catch {
      // The other form of the document is tried next.
    }
  }
  throw new Error(
    `The issuer ${login.issuer} cannot be asked. It has to allow this origin (CORS) and serve its metadata.`,
  );
}

/** A key for this page alone, which cannot be read out: stolen tokens are worth nothing without it (RFC 9449). */
async function proofOf({ dpop }: CodeLogin, server: oauth.AuthorizationServer, client: oauth.Client): Promise<Proof> {
  if (!dpop || server.dpop_signing_alg_values_supported?.includes('ES256') !== true)
    return { handle: undefined, option: {} };
  const handle = oauth.DPoP(client, await oauth.generateKeyPair('ES256', { extractable: false }));
  return { handle, option: { DPoP: handle } };
}

async function withNonce<T>(ask: () => Promise<Response>, read: (response: Response) => Promise<T>): Promise<T> {
  try {
    return await read(await ask());
  } catch (error) {
    if (!oauth.isDPoPNonceError(error)) throw error;
    return read(await ask());
  }
}

/** An issuer of this machine has no TLS. */
/* eslint-disable @typescript-eslint/no-deprecated -- it is marked so to be seen, and is for loopback only */
function insecure({ issuer }: CodeLogin): { readonly [oauth.allowInsecureRequests]?: boolean } {
  const { protocol, hostname } = new URL(issuer);
  const isLocal = protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return isLocal ? { [oauth.allowInsecureRequests]: true } : {};
}
/* eslint-enable @typescript-eslint/no-deprecated */

function endpoint(address: string | undefined): string {
  if (address === undefined) throw new Error('The issuer has no authorization endpoint.');
  return address;
}
