import { createHash } from 'node:crypto';

/** Whose an API key is. */
export interface ApiKeyHolder {
  readonly tenant: string;
  /** Default: the key's id. */
  readonly client?: string;
  /** With a space or a comma between them. */
  readonly scopes: string;
}

/** The entry of `API_KEYS` for a key `<id>.<secret>`. */
export function apiKeyEntry(key: string, { tenant, client, scopes }: ApiKeyHolder): string {
  const [id = ''] = key.split('.');
  return [id, tenant, client ?? id, scopes, createHash('sha256').update(key).digest('hex')].join(':');
}
