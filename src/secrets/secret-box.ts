import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { KeyRing } from './key-ring.js';

/**
 * The record that a secret belongs to. It cannot be decrypted for another record, so stored ciphertexts cannot be
 * swapped.
 */
export interface SecretOwner {
  readonly tenant: string;
  readonly taskId: string;
  readonly configId: string;
}

/** A ciphertext that cannot be decrypted: unknown key, another owner, or modified. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken';
}

const FORMAT = 's1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts secrets for storage with AES-256-GCM. A ciphertext is `s1.<key id>.<base64url of nonce, ciphertext, tag>`;
 * the key id and the owner are authenticated with it (NIST SP 800-38D).
 */
export class SecretBox {
  constructor(private readonly ring: KeyRing) {}

  seal(secret: string, owner: SecretOwner): string {
    const id = this.ring.current;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.key(id), nonce);
    cipher.setAAD(associatedData(id, owner));
    const sealed = Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `${FORMAT}.${id}.${sealed.toString('base64url')}`;
  }

  /** @throws SealBroken */
  open(sealed: string, owner: SecretOwner): string {
    const [format, id, body, ...rest] = sealed.split('.');
    if (format !== FORMAT || id === undefined || body === undefined || rest.length > 0) {
      throw new SealBroken('Not a sealed text');
    }
    const bytes = Buffer.from(body, 'base64url');
    if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new SealBroken('The sealed text is too short');
    const decipher = createDecipheriv('aes-256-gcm', this.key(id), bytes.subarray(0, NONCE_BYTES));
    decipher.setAAD(associatedData(id, owner));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      const opened = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
      return Buffer.concat([opened, decipher.final()]).toString('utf8');
    } catch (cause) {
      throw new SealBroken('The sealed text was changed, or belongs to something else', { cause });
    }
  }

  /** The secret re-encrypted with the current key; undefined if it already uses it. @throws SealBroken */
  reencrypt(sealed: string, owner: SecretOwner): string | undefined {
    if (sealed.startsWith(`${FORMAT}.${this.ring.current}.`)) return undefined;
    return this.seal(this.open(sealed, owner), owner);
  }

  private key(id: string): NonNullable<ReturnType<KeyRing['keys']['get']>> {
    const key = this.ring.keys.get(id);
    if (key === undefined) throw new SealBroken(`There is no encryption key ${id}`);
    return key;
  }
}

/** Each part with its length, so that no other split of the same characters gives the same bytes. */
function associatedData(keyId: string, owner: SecretOwner): Buffer {
  const parts = [FORMAT, keyId, owner.tenant, owner.taskId, owner.configId];
  return Buffer.from(parts.map((part) => `${String(Buffer.byteLength(part))}:${part}`).join(''), 'utf8');
}

/** The id of the key of a ciphertext, whether known here or not. */
export function keyIdOf(sealed: string): string {
  return sealed.split('.')[1] ?? '';
}
