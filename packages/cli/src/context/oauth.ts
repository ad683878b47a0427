import { setTimeout as pause } from 'node:timers/promises';
import type { AgentCard } from '@parley/protocol/model/agent-card.js';
import { type AgentHttp, readAll } from '@parley/client/http/agent-http.js';
import { invalidAnswer, RemoteError } from '@parley/client/http/remote-errors.js';
import { lifeMsOf } from '@parley/client/auth/token-request.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { parseJson } from '@parley/protocol/json/parse-json.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { localError } from './cli-error.js';

const MAX_BYTES = 64 * 1024;
const DEADLINES = { headers: 10_000, idle: 10_000, total: 20_000 };
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** The part of a token that an issuer has answered. */
export interface IssuedToken {
  readonly accessToken: string;
  readonly refreshToken?: string;
  readonly expiresAt?: number;
}

export type TokenAnswer =
  | { readonly kind: 'token'; readonly token: IssuedToken }
  | { readonly kind: 'refused'; readonly error: string; readonly description: string };

/** Where an agent's issuer is asked, from the card or from flags. */
export interface IssuerEndpoints {
  readonly tokenUrl?: string | undefined;
  readonly deviceUrl?: string | undefined;
}

/** Endpoints that the card's OAuth2 schemes name, or the discovery document of its OpenID Connect scheme. */
export async function endpointsOf(card: AgentCard, http: AgentHttp): Promise<IssuerEndpoints> {
  for (const scheme of Object.values(card.securitySchemes ?? {})) {
    if ('oauth2SecurityScheme' in scheme) {
      const flows: JsonObject = { ...scheme.oauth2SecurityScheme.flows };
      const [device, client] = [flows.deviceCode, flows.clientCredentials].map((flow) =>
        isJsonObject(flow) ? flow : {},
      );
      return {
        deviceUrl: textOf(device?.deviceAuthorizationUrl),
        tokenUrl: textOf(device?.tokenUrl) ?? textOf(client?.tokenUrl),
      };
    }
    if ('openIdConnectSecurityScheme' in scheme) {
      const found = await getJson(http, scheme.openIdConnectSecurityScheme.openIdConnectUrl);
      return { deviceUrl: textOf(found.device_authorization_endpoint), tokenUrl: textOf(found.token_endpoint) };
    }
  }
  return {};
}

/** One request to a token endpoint. @throws RemoteError when there is no OAuth answer */
export async function requestToken(
  http: AgentHttp,
  url: string,
  form: Readonly<Record<string, string>>,
  secret?: { readonly clientId: string; readonly clientSecret: string },
): Promise<TokenAnswer> {
  const body = await postForm(http, url, form, secret);
  if (typeof body.access_token === 'string' && typeof body.error !== 'string') {
    const { access_token: accessToken, refresh_token: refreshToken, expires_in: life } = body;
    const token: IssuedToken = {
      accessToken,
      ...(typeof refreshToken === 'string' ? { refreshToken } : {}),
      ...(life === undefined || life === null ? {} : { expiresAt: Date.now() + lifeMsOf(life) }),
    };
    return { kind: 'token', token };
  }
  if (typeof body.error !== 'string') throw invalidAnswer('The token endpoint answered neither a token nor an error');
  return { kind: 'refused', error: body.error, description: textOf(body.error_description) ?? body.error };
}

export interface DeviceLogin {
  readonly deviceUrl: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly scope: string | undefined;
}

/**
 * Signs a person in with a device code (RFC 8628): shows the address and the code, and asks until they are used.
 * @throws CliError A2ACLI_ERR_AUTH_FAILED when it is refused, A2ACLI_ERR_TIMEOUT when the code has expired
 */
export async function deviceLogin(
  http: AgentHttp,
  { deviceUrl, tokenUrl, clientId, scope }: DeviceLogin,
  show: (line: string) => void,
): Promise<IssuedToken> {
  const form = { client_id: clientId, ...(scope === undefined ? {} : { scope }) };
  const device = await postForm(http, deviceUrl, form);
  const { device_code: code, user_code: userCode, verification_uri: address, expires_in: life, interval } = device;
  if (typeof code !== 'string' || typeof userCode !== 'string' || typeof address !== 'string') {
    throw invalidAnswer('The device endpoint answered without a code');
  }
  show(`Open ${address} and enter the code ${userCode}`);
  const until = Date.now() + (typeof life === 'number' ? life : 600) * 1000;
  let waitMs = (typeof interval === 'number' ? interval : 5) * 1000;
  while (Date.now() + waitMs < until) {
    await pause(waitMs);
    const answer = await requestToken(http, tokenUrl, {
      grant_type: DEVICE_GRANT,
      device_code: code,
      client_id: clientId,
    });
    if (answer.kind === 'token') return answer.token;
    if (answer.error === 'slow_down') waitMs += 5000;
    else if (answer.error !== 'authorization_pending') throw localError('A2ACLI_ERR_AUTH_FAILED', answer.description);
  }
  throw localError('A2ACLI_ERR_TIMEOUT', 'The code was not used in time', 'Run parley auth login again');
}

async function postForm(
  http: AgentHttp,
  url: string,
  form: Readonly<Record<string, string>>,
  secret?: { readonly clientId: string; readonly clientSecret: string },
): Promise<JsonObject> {
  const basic =
    secret === undefined
      ? {}
      : {
          authorization: `Basic ${Buffer.from(`${encoded(secret.clientId)}:${encoded(secret.clientSecret)}`).toString('base64')}`,
        };
  const answer = await http.send({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json', ...basic },
    body: new URLSearchParams(form).toString(),
    deadlines: DEADLINES,
  });
  return readJson(answer.body);
}

async function getJson(http: AgentHttp, url: string): Promise<JsonObject> {
  const answer = await http.send({ method: 'GET', url, headers: { accept: 'application/json' }, deadlines: DEADLINES });
  if (answer.status !== 200) throw new RemoteError('refused', `${url} answered ${String(answer.status)}`);
  return readJson(answer.body);
}

async function readJson(body: AsyncIterable<Buffer>): Promise<JsonObject> {
  const value = parseJson(await readAll(body, MAX_BYTES, () => invalidAnswer('The issuer answered too much')));
  if (!isJsonObject(value)) throw invalidAnswer('The issuer did not answer with a JSON object');
  return value;
}

function encoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
