/** Metadata of a message that one agent sends for another: the chain of callers (O-23, O-60). */
export const DELEGATION = 'urn:parley:extension:delegation:1';
