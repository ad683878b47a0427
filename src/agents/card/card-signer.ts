import canonicalize from 'canonicalize';
import { FlattenedSign } from 'jose';
import type { AgentCard, AgentCardSignature } from '@parley/protocol/model/agent-card.js';
import { signedForm, signedFormOfSdks } from '@parley/protocol/card/signed-form.js';
import type { CardSigningKey } from './card-signing-keys.js';

/** Signs agent cards: JWS with a detached payload, ES256 over the canonical card (A2A 1.0 §8.4). */
export class CardSigner {
  /**
   * @param keySetUrl where verifiers find the public keys; named in the signature only when it is https, since a key
   *   fetched over plain HTTP proves nothing (A2A-SIGN-04)
   */
  constructor(
    private readonly keys: readonly CardSigningKey[],
    private readonly keySetUrl: string,
  ) {}

  /**
   * A signature by every key, so that verifiers may know the old or the new one (A2A-SIGN-05). If the SDKs compute
   * another payload than the specification, each key signs both: a verifier needs one valid signature.
   */
  signatures(card: AgentCard): Promise<readonly AgentCardSignature[]> {
    const payloads = new Set([canonical(signedForm(card)), canonical(signedFormOfSdks(card))]);
    return Promise.all(this.keys.flatMap((key) => [...payloads].map((payload) => this.signature(key, payload))));
  }

  private async signature({ kid, privateKey }: CardSigningKey, payload: string): Promise<AgentCardSignature> {
    const jku = this.keySetUrl.startsWith('https:') ? { jku: this.keySetUrl } : {};
    const jws = await new FlattenedSign(Buffer.from(payload))
      .setProtectedHeader({ alg: 'ES256', typ: 'JOSE', kid, ...jku })
      .sign(privateKey);
    return { protected: jws.protected ?? '', signature: jws.signature };
  }
}

/** The text that is signed: JCS (RFC 8785). Throws for text with half a character (a lone surrogate). */
function canonical(form: unknown): string {
  return canonicalize(form) ?? '';
}
