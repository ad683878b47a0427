import { contextOf } from '@parley/protocol/extension/context-extension.js';
import { type FieldViolation, invalidParams } from '@parley/protocol/model/errors.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Message } from '@parley/protocol/model/message.js';
import { SCOPE_EXTENSION } from '@parley/protocol/extension/scope-extension.js';
import type { Principal } from '../../../security/auth/principal.js';
import { missingScopes } from '../../../security/auth/scopes.js';

/** Scopes that a message may want. */
const MOST_WANTED = 50;
/** A scope as OAuth has it (RFC 6749 §3.3), so that a header can name it too. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,128}$/;

/** Which of the scopes that a caller wants it has, and which it lacks. */
export interface NegotiatedScopes {
  readonly granted: readonly string[];
  readonly withheld: readonly string[];
}

/**
 * What comes of the scopes that a message wants: those of the extension, else the `permissions` of its context; undefined for a message
 * that names none. @throws A2AError InvalidParams with the path of what is wrong
 */
export function negotiatedScopes(
  message: Pick<Message, 'metadata'>,
  principal: Principal,
): NegotiatedScopes | undefined {
  const { metadata } = message;
  if (metadata === undefined) return undefined;
  const asked = metadata[SCOPE_EXTENSION];
  const wanted = asked === undefined ? permissionsOf(metadata) : wantedOf(asked);
  if (wanted === undefined) return undefined;
  const withheld = missingScopes(principal, wanted);
  return { granted: wanted.filter((scope) => !withheld.includes(scope)), withheld };
}

/** The caller with no more rights than it wants: its message is judged so, and its task begins so. */
export function narrowed(principal: Principal, { granted }: NegotiatedScopes): Principal {
  return { ...principal, scopes: granted };
}

/** Response headers that answer a message whose door has no place for metadata. */
export function scopeHeaders({ granted, withheld }: NegotiatedScopes): Readonly<Record<string, string>> {
  return { 'parley-granted-scopes': granted.join(' '), 'parley-withheld-scopes': withheld.join(' ') };
}

function permissionsOf(metadata: JsonObject): readonly string[] | undefined {
  const permissions = contextOf({ metadata })?.permissions;
  // The context is checked where it is read; what is no scope is no right of this service.
  return Array.isArray(permissions) ? permissions.filter(isScope).slice(0, MOST_WANTED) : undefined;
}

function wantedOf(asked: unknown): readonly string[] {
  const { wanted, ...others }: JsonObject = typeof asked === 'object' && asked !== null ? { ...asked } : {};
  const violations = [
    ...Object.keys(others).map((name) => violation(name, 'is not a known field')),
    ...(isWanted(wanted) ? [] : [violation('wanted', `must be a list of at most ${String(MOST_WANTED)} scopes`)]),
  ];
  if (violations.length > 0 || !isWanted(wanted)) throw invalidParams(violations);
  return [...new Set(wanted)];
}

function isWanted(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length <= MOST_WANTED && value.every(isScope);
}

function isScope(value: unknown): value is string {
  return typeof value === 'string' && SCOPE.test(value);
}

function violation(member: string, description: string): FieldViolation {
  return { field: `message.metadata.${SCOPE_EXTENSION}.${member}`, description };
}
