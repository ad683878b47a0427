/** Metadata of a message that one agent sends for another: who called whom before it (O-23, O-60). */
export const DELEGATION = 'urn:parley:extension:delegation:1';
