import { hkdfSync } from 'node:crypto';
import type { SigningKey } from './signature.js';

/**
 * The secrets of one receiver while it changes from one to the next. `webhook-signature` carries all of them, so a
 * receiver may switch at any time; `X-Agent-Signature` carries only the current one.
 */
export interface SecretRing {
  readonly current: SigningKey;
  /** Already accepted everywhere, not yet the current one. */
  readonly staged?: SigningKey;
  /** No longer the current one, accepted until `until` (ms since 1970); newest first. */
  readonly retired: readonly { readonly key: SigningKey; readonly until: number }[];
}

/** A ring as it is stored. */
export interface StoredRing extends SecretRing {
  /** The derived secrets sign, whatever `current` was when this was stored; of the ring only the retired ones count. */
  readonly isDerived?: true;
}

/** Bounds the length of the header. */
const MAX_RETIRED = 10;
export const RETIREMENT_MS = 86_400_000;

export function ringOf(current: SigningKey): SecretRing {
  return { current, retired: [] };
}

/** Adds the next secret: from now on both sign. One that was staged before signs for `keepMs` more: receivers may know it (B21). */
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

/** A secret that the service can make again at any time: HKDF-SHA256 (RFC 5869) of its master key and the client. */
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

/** Returns to the derived secrets; those that the client had of its own sign for `keepMs` more. */
export function leaveOwn(own: SecretRing, derived: SecretRing, now: number, keepMs = RETIREMENT_MS): StoredRing {
  const unstaged = own.staged === undefined ? own : { ...own, retired: retire(own, own.staged, now, keepMs) };
  return { current: derived.current, retired: retire(unstaged, own.current, now, keepMs), isDerived: true };
}

/** The secrets of a client of which this is stored. */
export function mergedRing({ isDerived, ...stored }: StoredRing, derived: SecretRing): SecretRing {
  if (isDerived !== true) return stored;
  return { ...derived, retired: [...stored.retired, ...derived.retired] };
}

/** A derived ring, to be stored as the client's own: its former secrets, which would sign for ever, sign for `keepMs`. */
export function takenOver(ring: SecretRing, now: number, keepMs = RETIREMENT_MS): SecretRing {
  return { ...ring, retired: ring.retired.map(({ key }) => ({ key, until: now + keepMs })) };
}
