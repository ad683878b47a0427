import { invalidParams } from '../model/errors.js';
import { isJsonObject } from '../json/json-value.js';
import { LEGACY_ROLES } from '../legacy/role.js';

/**
 * Refuses a message with a role of 0.3 or before: its sender mixed the versions, and the plain rule ("must be one of
 * ROLE_USER, ROLE_AGENT") would not show that. Throws `A2AError` InvalidParams.
 */
export function refuseOlderMessage(params: unknown): void {
  const message = isJsonObject(params) ? params.message : undefined;
  if (!isJsonObject(message)) return;
  const { role } = message;
  const [name] = Object.entries(LEGACY_ROLES).find(([, older]) => older === role) ?? [];
  if (name === undefined) return;
  const hint = `in 1.0 it is ${name}; for a message of A2A 0.3 call message/send or POST /v1/message:send`;
  throw invalidParams([{ field: 'message.role', description: `"${String(role)}" is of A2A 0.3 and before: ${hint}` }]);
}
