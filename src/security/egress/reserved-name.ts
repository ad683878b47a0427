/**
 * Endings of names that never mean a host of the Internet: special-use names (RFC 6761, 6762, 7686, 8375, 9476), what
 * ICANN keeps from delegation because networks use it inside, and Kubernetes' own.
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

/** Whether a lower-case name without a trailing dot can only be found inside a network: one label, or a reserved end. */
export function isReservedName(name: string): boolean {
  if (!name.includes('.')) return true;
  return RESERVED_ENDINGS.some((ending) => name === ending || name.endsWith(`.${ending}`));
}
