import { invalidParams } from '../../protocol/errors.js';
import { isJsonObject } from '../json-value.js';
import { LEGACY_ROLES } from '../legacy/role.js';

/**
 * Refuses a message whose role is one of 0.3 and before: its sender has mixed the versions, and the bare rule ("must be
 * one of ROLE_USER, ROLE_AGENT") would not say so. Throws `A2AError` InvalidParams.
 */
export function refuseOlderMessage(params: unknown): void {
  const message = isJsonObject(params) ? params.message : undefined;
  const role = isJsonObject(message) ? message.role : undefined;
  const [name] = Object.entries(LEGACY_ROLES).find(([, older]) => older === role) ?? [];
  if (name === undefined) return;
  const hint = `in 1.0 it is ${name}; for a message of A2A 0.3 call message/send or POST /v1/message:send`;
  throw invalidParams([{ field: 'message.role', description: `"${String(role)}" is of A2A 0.3 and before: ${hint}` }]);
}
