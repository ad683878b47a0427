/** The tasks that a stored value is shared with: its tree, those of its context, user or tenant, or this turn alone. */
export type StoredScope = 'tree' | 'context' | 'user' | 'app' | 'temp';

/** Those, and the values that a message brings: lent by its caller, or passed on by the parent of a called skill. */
export type Scope = StoredScope | 'caller' | 'parent';

const NAME = /^[^:]{1,256}$/s;

/** @throws RangeError for a name that no value of the scope can have */
export function checkName(scope: Scope, name: string): void {
  // Names in a context are free: they were so before there were scopes.
  if (scope !== 'context' && !NAME.test(name))
    throw new RangeError(`"${name}" is no name of a shared value: it has 1 to 256 characters without ":"`);
}
