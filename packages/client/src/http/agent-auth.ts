/** Headers and query parameters that carry a credential. */
export interface Credential {
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
}

/** Where the credentials of calls to one agent come from. They go to its origin and nowhere else. */
export interface AgentAuth {
  /** The credential of the next request. Throws `RemoteError` auth or unreachable when none can be had. */
  credential(signal?: AbortSignal): Promise<Credential>;
  /** A credential was refused, the last one where none is named. Returns whether another one may do. */
  renew(refused?: Credential): boolean;
}

/** Calls without credentials. */
export const NO_AUTH: AgentAuth = {
  credential: async () => ({}),
  renew: () => false,
};

/** The same credential for every call. */
export function fixedAuth(credential: Credential): AgentAuth {
  return { credential: async () => credential, renew: () => false };
}

/** Where an API key goes, as OpenAPI and the security schemes of cards say it. */
export type KeyLocation = 'header' | 'query' | 'cookie';

export function apiKeyCredential(location: KeyLocation, name: string, key: string): Credential {
  switch (location) {
    case 'header':
      return { headers: { [name.toLowerCase()]: key } };
    case 'query':
      return { query: { [name]: key } };
    case 'cookie':
      return { headers: { cookie: `${name}=${encodeURIComponent(key)}` } };
  }
}

export function bearerCredential(token: string): Credential {
  return { headers: { authorization: `Bearer ${token}` } };
}
