import type { FileFaults } from '../../platform/config/settings/file-faults.js';
import { type ClientProof, readClientProof } from '../../outbound/client-proof.js';
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

/** A client of an issuer, with its proof. */
export interface ToolClient extends ClientProof {
  readonly type: 'oauth2';
  /** The only issuer that gets the proof; its metadata must name itself. */
  readonly issuer: string;
  readonly clientId: string;
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
        ...readClientProof(value, faults),
        ...(value.scope === undefined ? {} : { scope: faults.text(value, 'scope', 'auth.') }),
      };
    default:
      return faults.refuse('auth.type is none, bearer, tenant or oauth2', none);
  }
}
