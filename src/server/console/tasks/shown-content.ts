import type { Principal } from '../../../security/auth/principal.js';
import { missingScope, SCOPE_OF } from '../../../security/auth/scopes.js';

/** Whether a caller may read what tasks were told and what they say. Why a task has failed is among that. */
export function mayReadContent(caller: Principal): boolean {
  return missingScope(caller, [SCOPE_OF.GetTask]) === undefined;
}
