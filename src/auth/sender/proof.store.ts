import { withDeadline } from '../../platform/redis/connection/deadline.js';
import type { RedisClient } from '../../platform/redis/connection/redis-client.js';
import { CannotVerify } from '../cannot-verify.js';
import { proofKey } from './proof.keys.js';

/** Longer than a proof is valid: 60 s back, 60 s ahead, and a margin for clock skew. */
const TTL_SECONDS = 300;
const DEADLINE_MS = 1_000;

/** Records used DPoP proofs, across all replicas (RFC 9449 §11.1). */
export class ProofStore {
  constructor(
    private readonly redis: RedisClient,
    private readonly prefix: string,
  ) {}

  /** True for the first use of a proof, false for every other. @throws CannotVerify when Redis does not answer */
  async use(keyThumbprint: string, jti: string): Promise<boolean> {
    const key = proofKey(this.prefix, keyThumbprint, jti);
    try {
      return (await withDeadline(this.redis.set(key, '1', 'EX', TTL_SECONDS, 'NX'), DEADLINE_MS)) === 'OK';
    } catch (cause) {
      throw new CannotVerify('The list of used proofs cannot be reached', 1, { cause });
    }
  }
}
