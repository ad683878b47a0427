import type { FileFaults } from '../../platform/config/settings/file-faults.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { type ClientKey, readClientKey } from '@parley/client/auth/client-assertion.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';

/**
 * Authentication at a tool server. `tenant`: each tenant's own credential, sealed in Redis; without one no call is
 * made.
 */
export type ToolAuth =
  | { readonly type: 'none' }
  | { readonly type: 'bearer'; readonly token: string }
  | { readonly type: 'tenant' }
  | ToolClient;

/** A client of an issuer, with a secret or a private key. */
export interface ToolClient {
  readonly type: 'oauth2';
  /** The only issuer that gets the proof; its metadata must name itself. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly key?: ClientKey;
  readonly scope?: string;
}

/** The member `auth` of a server in MCP_SERVERS_FILE. */
export function readAuth(value: unknown, faults: FileFaults): ToolAuth {
  const none: ToolAuth = { type: 'none' };
  if (value === undefined) return none;
  if (!isJsonObject(value)) return faults.refuse('auth must be an object', none);
  switch (value.type) {
    case 'none':
    case 'tenant':
      return { type: value.type };
    case 'bearer':
      return { type: 'bearer', token: faults.text(value, 'token', 'auth.') };
    case 'oauth2':
      return {
        type: 'oauth2',
        issuer: faults.text(value, 'issuer', 'auth.'),
        clientId: faults.text(value, 'clientId', 'auth.'),
        ...proofOf(value, faults),
        ...(value.scope === undefined ? {} : { scope: faults.text(value, 'scope', 'auth.') }),
      };
    default:
      return faults.refuse('auth.type is none, bearer, tenant or oauth2', none);
  }
}

function proofOf(value: JsonObject, faults: FileFaults): Pick<ToolClient, 'clientSecret' | 'key'> {
  if (value.key === undefined) return { clientSecret: faults.text(value, 'secret', 'auth.') };
  if (value.secret !== undefined) return faults.refuse('auth has either secret or key', {});
  const text = faults.text(value, 'key', 'auth.');
  const key = text === '' ? undefined : readClientKey(text);
  if (key !== undefined) return { key };
  return text === '' ? {} : faults.refuse('auth.key must be a private key as JWK (EC, Ed25519 or RSA)', {});
}
