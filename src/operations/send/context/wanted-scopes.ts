import { contextOf } from '@parley/protocol/extension/context-extension.js';
import { type FieldViolation, invalidParams } from '@parley/protocol/model/errors.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Message } from '@parley/protocol/model/message.js';
import { SCOPE_EXTENSION } from '@parley/protocol/extension/scope-extension.js';
import type { Principal } from '../../../auth/principal.js';
import { missingScopes } from '../../../auth/scopes.js';

/** Scopes that a message may request. */
const MAX_WANTED = 50;
/** An OAuth scope (RFC 6749 §3.3), safe for a header. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,128}$/;

/** The requested scopes divided into granted and missing ones. */
export interface NegotiatedScopes {
  readonly granted: readonly string[];
  readonly withheld: readonly string[];
}

/**
 * The result of a message's requested scopes: those of the extension, else the `permissions` of its context; undefined
 * for a message without any. @throws A2AError InvalidParams with the path of the fault
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

/** The caller limited to the requested rights, for the checks and the task of its message. */
export function narrowed(principal: Principal, { granted }: NegotiatedScopes): Principal {
  return { ...principal, scopes: granted };
}

/** Response headers for a message whose binding returns no metadata. */
export function scopeHeaders({ granted, withheld }: NegotiatedScopes): Readonly<Record<string, string>> {
  return { 'parley-granted-scopes': granted.join(' '), 'parley-withheld-scopes': withheld.join(' ') };
}

function permissionsOf(metadata: JsonObject): readonly string[] | undefined {
  const permissions = contextOf({ metadata })?.permissions;
  // The context is checked where it is read; an invalid scope is no right of this service.
  return Array.isArray(permissions) ? permissions.filter(isScope).slice(0, MAX_WANTED) : undefined;
}

function wantedOf(asked: unknown): readonly string[] {
  const { wanted, ...others }: JsonObject = typeof asked === 'object' && asked !== null ? { ...asked } : {};
  const violations = [
    ...Object.keys(others).map((name) => violation(name, 'is not a known field')),
    ...(isWanted(wanted) ? [] : [violation('wanted', `must be a list of at most ${String(MAX_WANTED)} scopes`)]),
  ];
  if (violations.length > 0 || !isWanted(wanted)) throw invalidParams(violations);
  return [...new Set(wanted)];
}

function isWanted(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length <= MAX_WANTED && value.every(isScope);
}

function isScope(value: unknown): value is string {
  return typeof value === 'string' && SCOPE.test(value);
}

function violation(member: string, description: string): FieldViolation {
  return { field: `message.metadata.${SCOPE_EXTENSION}.${member}`, description };
}
