import canonicalize from 'canonicalize';
import { base64url, createLocalJWKSet, decodeProtectedHeader, flattenedVerify, type JSONWebKeySet } from 'jose';
import type { AgentCard, AgentCardSignature } from '@parley/protocol/model/agent-card.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { signedForm, signedFormOfSdks } from '@parley/protocol/card/signed-form.js';

/** Algorithms that a signature may have: none that a public key could forge. */
const ALGORITHMS = ['ES256', 'ES384', 'EdDSA', 'RS256', 'PS256'];
/** Signatures of one card that are tried. */
const MAX_SIGNATURES = 64;

/**
 * How a card is signed: `verified` by one of the pinned keys, `unverifiable` by any of them (and `isAltered` where one of them is
 * named by a signature that does not hold), or `absent`. A signature
 * proves nothing when its key comes from the card itself, so `jku` and `jwk` are never followed.
 */
export type SignatureOutcome =
  | { readonly outcome: 'verified'; readonly kid: string | undefined }
  | { readonly outcome: 'unverifiable'; readonly why: string; readonly isAltered?: true }
  | { readonly outcome: 'absent' };

/** Verifies a card against pinned keys (A2A 1.0 §8.4.3): one signature that holds is enough. Runs in browsers too. */
export async function verifyCard(card: AgentCard, keys: JSONWebKeySet | undefined): Promise<SignatureOutcome> {
  const { signatures = [] } = card;
  if (signatures.length === 0) return { outcome: 'absent' };
  if (keys === undefined || keys.keys.length === 0) return { outcome: 'unverifiable', why: 'no key is pinned for it' };
  const payloads = payloadsOf(card);
  const pinned = createLocalJWKSet(keys);
  for (const signature of signatures.slice(0, MAX_SIGNATURES)) {
    for (const payload of payloads) {
      const kid = await heldBy(signature, payload, pinned);
      if (kid !== false) return { outcome: 'verified', kid };
    }
  }
  const pinnedIds = new Set(keys.keys.map(({ kid }) => kid));
  if (signatures.some((signature) => pinnedIds.has(kidOf(signature) ?? '')))
    return {
      outcome: 'unverifiable',
      why: 'the card was changed after it was signed, e.g. by a gateway',
      isAltered: true,
    };
  return { outcome: 'unverifiable', why: 'no pinned key has made any of its signatures' };
}

/** The id of the key that a signature names. */
function kidOf(signature: AgentCardSignature): string | undefined {
  try {
    return decodeProtectedHeader(signature).kid;
  } catch {
    // An unreadable header names no key.
    return undefined;
  }
}

/** The texts that may have been signed: as the specification has it, and as the SDKs do it. */
function payloadsOf(card: AgentCard): readonly string[] {
  const texts = [signedForm(card), signedFormOfSdks(card)].map((form) => canonicalize(form) ?? '');
  return [...new Set(texts)];
}

async function heldBy(
  signature: AgentCardSignature,
  payload: string,
  pinned: ReturnType<typeof createLocalJWKSet>,
): Promise<string | undefined | false> {
  if (!isJsonObject(signature) || typeof signature.protected !== 'string' || typeof signature.signature !== 'string') {
    return false;
  }
  try {
    const jws = {
      protected: signature.protected,
      signature: signature.signature,
      payload: base64url.encode(payload),
    };
    const { protectedHeader } = await flattenedVerify(jws, pinned, { algorithms: ALGORITHMS });
    return protectedHeader?.kid;
  } catch {
    // Whatever is wrong with it, it does not hold; the outcome says so.
    return false;
  }
}
