import { compactVerify, type JWK } from 'jose';

/**
 * Whether a key signed a compact JWS. jose throws for a wrong signature as for a key that does not fit the algorithm.
 */
export async function isSignedBy(jws: string, key: JWK, algorithm: string): Promise<boolean> {
  try {
    await compactVerify(jws, key, { algorithms: [algorithm] });
    return true;
  } catch {
    return false;
  }
}
