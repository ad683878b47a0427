import { createHash, timingSafeEqual } from 'node:crypto';
import type { Principal } from '../principal.js';
import type { ApiKey } from './api-key.js';

const MAX_KEY_LENGTH = 512;
const NO_DIGEST = Buffer.alloc(32);

/** Identifies callers by their API keys. An unknown id costs the same comparison as a wrong secret. */
export class ApiKeyVerifier {
  private known: readonly ApiKey[] = [];
  private byId: ReadonlyMap<string, ApiKey> = new Map();
  private clients: ReadonlySet<string> = new Set();

  /** @param keys the keys at present */
  constructor(private readonly keys: () => readonly ApiKey[]) {}

  /** Whether a key is that of a client with this tenant and name. */
  knows({ tenant, client }: Pick<Principal, 'tenant' | 'client'>): boolean {
    this.refresh();
    return this.clients.has(nameOf(tenant, client));
  }

  /** The principal of the key; undefined for an unknown key. */
  verify(presented: string): Principal | undefined {
    if (presented.length > MAX_KEY_LENGTH) return undefined;
    this.refresh();
    const key = this.byId.get(presented.slice(0, Math.max(0, presented.indexOf('.'))));
    const digest = createHash('sha256').update(presented).digest();
    const isRight = timingSafeEqual(digest, key?.digest ?? NO_DIGEST);
    if (key === undefined || !isRight) return undefined;
    const { id, tenant, client, scopes } = key;
    return { tenant, client, scopes, method: 'api-key', credential: { apiKey: id } };
  }

  private refresh(): void {
    const keys = this.keys();
    if (keys === this.known) return;
    this.known = keys;
    this.byId = new Map(keys.map((key) => [key.id, key]));
    this.clients = new Set(keys.map(({ tenant, client }) => nameOf(tenant, client)));
  }
}

/** Tenant names have no `/`. */
function nameOf(tenant: string, client: string): string {
  return `${tenant}/${client}`;
}
