import { hkdfSync } from 'node:crypto';
import type { SigningKey } from './signature.js';

/**
 * The secrets of one receiver during a rotation. `webhook-signature` is signed with all of them, so a receiver may
 * switch at any time; `X-Agent-Signature` only with the current one.
 */
export interface SecretRing {
  readonly current: SigningKey;
  /** Accepted everywhere, but not yet the current one. */
  readonly staged?: SigningKey;
  /** No longer the current one, accepted until `until` (ms since 1970); newest first. */
  readonly retired: readonly { readonly key: SigningKey; readonly until: number }[];
}

/** A ring in its stored form. */
export interface StoredRing extends SecretRing {
  /** The derived secrets sign, whatever the stored `current`; only the retired ones of the ring count. */
  readonly isDerived?: true;
}

/** Bounds the length of the header. */
const MAX_RETIRED = 10;
export const RETIREMENT_MS = 86_400_000;

export function ringOf(current: SigningKey): SecretRing {
  return { current, retired: [] };
}

/**
 * Adds the next secret; both sign from now on. A previously staged one signs for another `keepMs`, since receivers may
 * know it (B21).
 */
export function stage(ring: SecretRing, next: SigningKey, now: number, keepMs = RETIREMENT_MS): SecretRing {
  if (ring.staged === undefined) return { ...ring, staged: next };
  return { ...ring, staged: next, retired: retire(ring, ring.staged, now, keepMs) };
}

/** Makes the staged secret the current one; the old one signs for `keepMs` more. Without a staged one: no change. */
export function promote(ring: SecretRing, now: number, keepMs = RETIREMENT_MS): SecretRing {
  if (ring.staged === undefined) return ring;
  return { current: ring.staged, retired: retire(ring, ring.current, now, keepMs) };
}

function retire({ retired }: SecretRing, key: SigningKey, now: number, keepMs: number): SecretRing['retired'] {
  const signing = retired.filter(({ until }) => until > now);
  return [{ key, until: now + keepMs }, ...signing].slice(0, MAX_RETIRED);
}

/** All secrets that sign at `now`, the current one first. */
export function signingKeys(ring: SecretRing, now: number): readonly [SigningKey, ...SigningKey[]] {
  const retired = ring.retired.filter(({ until }) => until > now).map(({ key }) => key);
  return [ring.current, ...(ring.staged === undefined ? [] : [ring.staged]), ...retired];
}

/** A reproducible secret: HKDF-SHA256 (RFC 5869) of the master key and the client. */
export function derivedKey(master: SigningKey, tenant: string, client: string): SigningKey {
  const info = `parley webhook ${String(tenant.length)}:${tenant}${client}`;
  const bytes = Buffer.from(hkdfSync('sha256', master.secret, '', info, 32));
  return { id: master.id, secret: `whsec_${bytes.toString('base64')}` };
}

/** The ring of a client without secrets of its own: derived from the master keys, of which the first is the current. */
export function derivedRing(
  masters: readonly [SigningKey, ...SigningKey[]],
  tenant: string,
  client: string,
): SecretRing {
  const [current, ...older] = masters;
  const retired = older.map((key) => ({ key: derivedKey(key, tenant, client), until: Number.POSITIVE_INFINITY }));
  return { current: derivedKey(current, tenant, client), retired };
}

/** Returns to the derived secrets; the client's own ones sign for another `keepMs`. */
export function leaveOwn(own: SecretRing, derived: SecretRing, now: number, keepMs = RETIREMENT_MS): StoredRing {
  const unstaged = own.staged === undefined ? own : { ...own, retired: retire(own, own.staged, now, keepMs) };
  return { current: derived.current, retired: retire(unstaged, own.current, now, keepMs), isDerived: true };
}

/** The secrets of a client: its stored ring merged with the derived one. */
export function mergedRing({ isDerived, ...stored }: StoredRing, derived: SecretRing): SecretRing {
  if (isDerived !== true) return stored;
  return { ...derived, retired: [...stored.retired, ...derived.retired] };
}

/** A derived ring, to be stored as the client's own: its derived secrets sign for `keepMs` instead of without end. */
export function takenOver(ring: SecretRing, now: number, keepMs = RETIREMENT_MS): SecretRing {
  return { ...ring, retired: ring.retired.map(({ key }) => ({ key, until: now + keepMs })) };
}
