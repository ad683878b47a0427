import { Injectable } from '@nestjs/common';
import { type SecretBox, SealBroken } from '../../../security/secret/secret-box.js';

/** What a sealed text is for: none can be taken for one of another kind. */
export type SealedKind = 'session' | 'request-state';

/** Characters of a sealed text; a longer one is refused unread. */
const MOST_SEALED = 96 * 1024;

/**
 * Seals what the service gives to a client and gets back from it: any replica opens it, nobody else can read or make it,
 * and it is good for its owner only (MCP-ASK-2, MCP-SESSION-1).
 */
@Injectable()
export class Seals {
  constructor(private readonly box: SecretBox) {}

  /** @param owner the name under which the caller's tasks are kept */
  seal(kind: SealedKind, value: object, owner: string): string {
    return this.box.seal(JSON.stringify(value), secretOwner(kind, owner));
  }

  /** What was sealed; undefined for any other text. */
  open(kind: SealedKind, text: string, owner: string): unknown {
    if (text.length > MOST_SEALED || !isCanonical(text)) return undefined;
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

/** The last character of base64 has bits that decoders leave out: a text that differs in them is another text. */
function isCanonical(text: string): boolean {
  const body = text.slice(text.lastIndexOf('.') + 1);
  return Buffer.from(body, 'base64url').toString('base64url') === body;
}
