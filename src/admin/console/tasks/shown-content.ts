import type { Principal } from '../../../auth/principal.js';
import { missingScope, SCOPE_OF } from '../../../auth/scopes.js';

/** Whether a caller may read the input and output of tasks, which includes the reasons of failures. */
export function mayReadContent(caller: Principal): boolean {
  return missingScope(caller, [SCOPE_OF.GetTask]) === undefined;
}
