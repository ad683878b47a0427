/**
 * Suffixes of names that are never public hosts: special-use names (RFC 6761, 6762, 7686, 8375, 9476), names that ICANN
 * keeps from delegation because networks use them, and Kubernetes' own.
 */
const RESERVED_ENDINGS = [
  'alt',
  'arpa',
  'corp',
  'home',
  'internal',
  'intranet',
  'invalid',
  'lan',
  'local',
  'localdomain',
  'localhost',
  'mail',
  'onion',
  'private',
  'svc',
  'test',
  'metadata.goog',
];

/**
 * Whether a lower-case name without a trailing dot can only exist inside a network: a single label or a reserved
 * suffix.
 */
export function isReservedName(name: string): boolean {
  if (!name.includes('.')) return true;
  return RESERVED_ENDINGS.some((ending) => name === ending || name.endsWith(`.${ending}`));
}
