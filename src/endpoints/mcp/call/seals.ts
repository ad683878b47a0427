import { Injectable } from '@nestjs/common';
import { type SecretBox, SealBroken } from '../../../secrets/secret-box.js';

/** The kind of a sealed text: none is accepted as another kind. */
export type SealedKind = 'session' | 'request-state';

/** Characters of a sealed text; a longer one is refused unread. */
const MAX_SEALED = 96 * 1024;

/**
 * Seals texts that a client holds and returns: every replica can open them, no client can read or forge them, and they
 * are valid for their owner only (MCP-ASK-2, MCP-SESSION-1).
 */
@Injectable()
export class Seals {
  constructor(private readonly box: SecretBox) {}

  /** @param owner owner name of the caller's tasks */
  seal(kind: SealedKind, value: object, owner: string): string {
    return this.box.seal(JSON.stringify(value), secretOwner(kind, owner));
  }

  /** The sealed value; undefined for any other text. */
  open(kind: SealedKind, text: string, owner: string): unknown {
    if (text.length > MAX_SEALED || !isCanonical(text)) return undefined;
    try {
      return JSON.parse(this.box.open(text, secretOwner(kind, owner)));
    } catch (error) {
      if (error instanceof SealBroken) return undefined;
      throw error;
    }
  }
}

function secretOwner(kind: SealedKind, owner: string): { tenant: string; taskId: string; configId: string } {
  return { tenant: 'mcp', taskId: kind, configId: owner };
}

/** Whether base64 is canonical: its last character has bits that decoders ignore. */
function isCanonical(text: string): boolean {
  const body = text.slice(text.lastIndexOf('.') + 1);
  return Buffer.from(body, 'base64url').toString('base64url') === body;
}
