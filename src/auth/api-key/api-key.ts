import { isTenantName } from '../token/issuer-options.js';

/** A configured API key: owner, scopes, and a digest of the key, never the key itself. */
export interface ApiKey {
  /** The part of the key before the first dot; public, so that logs can name the key. */
  readonly id: string;
  readonly tenant: string;
  readonly client: string;
  readonly scopes: readonly string[];
  /** SHA-256 of the whole key, `<id>.<secret>`. */
  readonly digest: Buffer;
}

/** Scopes contain colons, so the scopes are the text between the client and the first digest. */
const LINE = /^([A-Za-z0-9_-]{1,64}):([^:\s]+):([^:\s]{1,256}):(.*?):([0-9a-f]{64})$/;
const HOLDS_DIGEST = /:[0-9a-f]{64}/;

/**
 * Parses API keys, one per line (or separated by `;`), as `id:tenant:client:scopes:sha256`; scopes are separated by
 * spaces or commas. Empty lines and lines that begin with `#` are skipped.
 * @throws Error that names the line, and nothing of its content
 */
export function parseApiKeys(text: string): readonly ApiKey[] {
  const keys = text
    .split(/[\n;]/)
    .map((line, index) => ({ line: line.trim(), number: index + 1 }))
    .filter(({ line }) => line !== '' && !line.startsWith('#'))
    .map(({ line, number }) => parseLine(line, number));
  const doubled = keys.find((key, index) => keys.findIndex((other) => other.id === key.id) !== index);
  if (doubled !== undefined) throw new Error(`API key ${doubled.id} is given twice`);
  return keys;
}

function parseLine(line: string, number: number): ApiKey {
  const [, id, tenant, client, scopes, digest] = LINE.exec(line) ?? [];
  if (
    id === undefined ||
    client === undefined ||
    scopes === undefined ||
    HOLDS_DIGEST.test(scopes) ||
    digest === undefined ||
    !isTenantName(tenant)
  ) {
    throw new Error(`entry ${String(number)}: expected id:tenant:client:scopes:sha256`);
  }
  return { id, tenant, client, scopes: scopes.split(/[\s,]+/).filter(Boolean), digest: Buffer.from(digest, 'hex') };
}
