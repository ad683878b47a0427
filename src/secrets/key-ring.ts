import { createSecretKey, type KeyObject } from 'node:crypto';

/** The encryption keys of secrets: the first encrypts, all decrypt. */
export interface KeyRing {
  readonly current: string;
  readonly keys: ReadonlyMap<string, KeyObject>;
}

/** An encryption key as a text from which other secrets are derived. */
interface MasterKey {
  readonly id: string;
  readonly secret: string;
}

const KEY_BYTES = 32;
const LINE = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/_-]+=*)$/;

/**
 * Parses keys written as `id:base64`, separated by commas or line breaks, newest first. Each is 32 random bytes.
 * @throws Error with the position of the key, and nothing of its content
 */
export function parseKeyRing(text: string): KeyRing {
  const entries = text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(parseEntry);
  const [first] = entries;
  if (first === undefined) throw new Error('At least one encryption key is needed, as id:base64');
  const keys = new Map(entries);
  if (keys.size !== entries.length) throw new Error('Two encryption keys have the same id');
  return { current: first[0], keys };
}

/** The same keys, the current one first, as masters from which the signing secrets of clients are derived. */
export function masterKeysOf({ current, keys }: KeyRing): readonly [MasterKey, ...MasterKey[]] {
  const all = [...keys].map(([id, key]) => ({ id, secret: key.export().toString('base64') }));
  const [first = { id: current, secret: '' }, ...rest] = all;
  return [first, ...rest];
}

function parseEntry(entry: string, index: number): readonly [string, KeyObject] {
  const [, id, base64] = LINE.exec(entry) ?? [];
  const bytes = Buffer.from(base64 ?? '', 'base64');
  if (id === undefined || bytes.length !== KEY_BYTES) {
    throw new Error(`Encryption key ${String(index + 1)}: expected id:base64 of ${String(KEY_BYTES)} bytes`);
  }
  return [id, createSecretKey(bytes)];
}
