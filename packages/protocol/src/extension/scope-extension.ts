/**
 * The extension about scopes (O-14). In a message: the scopes that the caller wants for it, `{ wanted }`. In its task, and in the extended
 * card: which of them the caller has, and which it lacks, `{ granted, withheld }`.
 */
export const SCOPE_EXTENSION = 'urn:parley:extension:scope:1';
