import type { FileFaults } from '../../platform/config/settings/file-faults.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import {
  type ClientProof,
  PROOF_MEMBERS,
  readAssertionFile,
  readClientProof,
  readKey,
} from '../../outbound/client-proof.js';
import type { TokenExchange } from '@parley/client/auth/token-exchange.js';

/** How a call to an agent is authenticated. */
export type RemoteAuth =
  | { readonly type: 'none' }
  | { readonly type: 'bearer'; readonly token: string }
  | { readonly type: 'apiKey'; readonly in: 'header' | 'query' | 'cookie'; readonly name: string; readonly key: string }
  | ({
      readonly type: 'oauth2';
      readonly tokenUrl: string;
      readonly clientId: string;
      readonly scope?: string;
      readonly audience?: string;
      readonly resource?: string;
    } & ClientProof)
  | ({ readonly type: 'token-exchange' } & TokenExchange);

const NONE = { type: 'none' } as const;
const CLIENT_MEMBERS = ['type', 'tokenUrl', 'clientId', ...PROOF_MEMBERS, 'scope', 'audience', 'resource'];
const EXCHANGE_MEMBERS = [...CLIENT_MEMBERS, 'issuer', 'subjects'];
const TARGETS = ['scope', 'audience', 'resource'] as const;

/** The member `auth` of an agent in AGENTS_FILE. */
export function readRemoteAuth(value: unknown, faults: FileFaults): RemoteAuth {
  if (value === undefined) return NONE;
  if (!isJsonObject(value)) return faults.refuse('auth must be an object', NONE);
  const text = (name: string): string => faults.text(value, name, 'auth.');
  switch (value.type) {
    case 'none':
      return NONE;
    case 'bearer':
      return { type: 'bearer', token: text('token') };
    case 'apiKey':
      return {
        type: 'apiKey',
        in: faults.choice(value, 'in', ['header', 'query', 'cookie']),
        name: text('name'),
        key: text('key'),
      };
    case 'oauth2':
      faults.of('auth').onlyMembers(value, CLIENT_MEMBERS);
      return {
        ...{ type: 'oauth2', tokenUrl: text('tokenUrl'), clientId: text('clientId') },
        ...readClientProof(value, faults),
        ...Object.fromEntries(TARGETS.filter((name) => value[name] !== undefined).map((name) => [name, text(name)])),
      };
    case 'token-exchange':
      return exchangeOf(value, faults);
    default:
      return faults.refuse('auth.type is none, bearer, apiKey, oauth2 or token-exchange', NONE);
  }
}

function exchangeOf(value: JsonObject, faults: FileFaults): RemoteAuth {
  faults.of('auth').onlyMembers(value, EXCHANGE_MEMBERS);
  const text = (name: string): string => faults.text(value, name, 'auth.');
  const [tokenUrl, clientId] = [text('tokenUrl'), text('clientId')];
  if (tokenUrl !== '' && !URL.canParse(tokenUrl)) faults.add('auth.tokenUrl must be the URL of the token endpoint');
  const hasFile = value.clientAssertionFile !== undefined;
  if (hasFile && value.secret !== undefined) faults.add('auth has secret or clientAssertionFile');
  const key = readKey(value, faults);
  // Without it a token for this agent would be valid at every other one.
  if (value.audience === undefined && value.resource === undefined) faults.add('auth needs audience or resource');
  const optional = ['issuer', ...TARGETS].filter((name) => value[name] !== undefined);
  if (key === undefined) return NONE;
  return {
    ...{ type: 'token-exchange', tokenUrl, clientId, key },
    ...(value.secret === undefined ? {} : { clientSecret: text('secret') }),
    ...(hasFile ? { assertionFile: readAssertionFile(value, faults) } : {}),
    ...Object.fromEntries(optional.map((name) => [name, text(name)])),
    subjects: faults.choice(value, 'subjects', ['same', 'mapped']),
  };
}
