import { createHash, timingSafeEqual } from 'node:crypto';
import type { Principal } from '../principal.js';
import type { ApiKey } from './api-key.js';

const MAX_KEY_LENGTH = 512;
const NO_DIGEST = Buffer.alloc(32);

/** Knows callers by their API keys. An unknown id costs the same comparison as a wrong secret. */
export class ApiKeyVerifier {
  private readonly keys: ReadonlyMap<string, ApiKey>;

  constructor(keys: readonly ApiKey[]) {
    this.keys = new Map(keys.map((key) => [key.id, key]));
  }

  /** Whose key it is; undefined for a key that nobody has. */
  verify(presented: string): Principal | undefined {
    if (presented.length > MAX_KEY_LENGTH) return undefined;
    const key = this.keys.get(presented.slice(0, Math.max(0, presented.indexOf('.'))));
    const digest = createHash('sha256').update(presented).digest();
    const isRight = timingSafeEqual(digest, key?.digest ?? NO_DIGEST);
    if (key === undefined || !isRight) return undefined;
    return { tenant: key.tenant, client: key.client, scopes: key.scopes, method: 'api-key' };
  }
}
