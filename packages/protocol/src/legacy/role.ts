/** Roles of 0.1 – 0.3 have short names. */
import type { Role } from '../model/message.js';
import type { LegacyRole } from './types.js';

export const LEGACY_ROLES: Readonly<Record<Role, LegacyRole>> = { ROLE_USER: 'user', ROLE_AGENT: 'agent' };

/** An unknown role is passed on for validation to refuse. */
export function roleFromLegacy(role: unknown): unknown {
  if (role === 'user') return 'ROLE_USER';
  return role === 'agent' ? 'ROLE_AGENT' : role;
}
