import { A2AError, type FieldViolation, invalidParams } from '@parley/protocol/model/errors.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { readTimestamp } from '@parley/protocol/model/timestamp.js';
import type { SendMessageRequest } from '@parley/protocol/model/operations.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { CONTEXT_EXTENSION } from '@parley/protocol/extension/context-extension.js';

/** The content of a call of an intent: seed 2 § 6.2, and the context object of § 10.3. */
export interface IntentParams {
  readonly inputs: JsonObject;
  /** Values lent to the skill by the caller, by dotted keys. */
  readonly memory?: JsonObject;
  readonly context?: JsonObject;
}

/** A call of `POST /run`. */
export interface RunRequest extends IntentParams {
  readonly intent: string;
}

/** Characters of each text of the context: they reach logs and keys. */
const MAX_TEXT = 256;
const MAX_PERMISSIONS = 100;

const TEXT = {
  fits: (value: unknown): boolean => typeof value === 'string' && value !== '' && value.length <= MAX_TEXT,
  rule: `must be a text of 1 to ${String(MAX_TEXT)} characters`,
};

/** Members of the context object and their types; others are refused. */
const CONTEXT_MEMBERS: Readonly<Record<string, typeof TEXT>> = {
  caller: TEXT,
  // A relay's claim about the first caller, and the client that made it. Trusted only from relays.
  on_behalf_of: TEXT,
  relayed_by: TEXT,
  request_id: TEXT,
  trace_id: TEXT,
  user_id: TEXT,
  nonce: TEXT,
  timestamp: {
    fits: (value) => typeof value === 'string' && readTimestamp(value) !== undefined,
    rule: 'must be an RFC 3339 time, as 2025-07-04T11:00:00Z',
  },
  permissions: {
    fits: (value) => Array.isArray(value) && value.length <= MAX_PERMISSIONS && value.every(TEXT.fits),
    rule: `must be a list of at most ${String(MAX_PERMISSIONS)} texts`,
  },
  memory: { fits: isJsonObject, rule: 'must be an object' },
  debug_mode: { fits: (value) => typeof value === 'boolean', rule: 'must be true or false' },
};

/** The permitted members of a context. */
export const CONTEXT_NAMES: readonly string[] = Object.keys(CONTEXT_MEMBERS);

const PARAMS = ['inputs', 'memory', 'context'];

/** Reads `params` of a JSON-RPC call of an intent. @throws A2AError InvalidParams with the path of every wrong field */
export function readIntentParams(params: unknown): IntentParams {
  const given = params ?? {};
  if (!isJsonObject(given)) throw invalidParams([{ field: 'params', description: 'must be an object' }]);
  return checked(given, PARAMS);
}

/** Reads a parsed body of `POST /run`. @throws A2AError InvalidRequest, InvalidParams */
export function readRunRequest(body: unknown): RunRequest {
  if (Array.isArray(body)) throw new A2AError('InvalidRequest', 'Batch requests are not supported: send one object');
  if (!isJsonObject(body)) throw new A2AError('InvalidRequest', 'The request body must be a JSON object');
  const { intent } = body;
  const params = checked(body, ['intent', ...PARAMS]);
  if (!isIntentName(intent)) throw invalidParams([{ field: 'intent', description: 'must be the id of a skill' }]);
  return { intent, ...params };
}

/** The message of a call: its data part is the input, its id the caller's `request_id`, if any. */
export function messageOfIntent(
  { id, takesData }: { readonly id: string; readonly takesData: boolean },
  { inputs, memory, context = {} }: IntentParams,
  newId: () => string,
): SendMessageRequest {
  const { request_id: requestId } = context;
  const shared = memory === undefined ? context : { ...context, memory };
  const carried = Object.keys(shared).length === 0 ? {} : { [CONTEXT_EXTENSION]: shared };
  const metadata = { skillId: id, ...carried };
  return {
    message: {
      messageId: typeof requestId === 'string' ? requestId : newId(),
      role: 'ROLE_USER',
      parts: takesData ? [{ data: inputs }] : [{ text: '' }],
      metadata: takesData ? metadata : { ...metadata, input: inputs },
    },
  };
}

function isIntentName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function checked(given: JsonObject, known: readonly string[]): IntentParams {
  const { inputs = {}, memory, context } = given;
  const violations = [
    ...unknownIn(given, known, ''),
    ...mustBeObject({ inputs, memory, context }),
    ...(isJsonObject(context) ? wrongInContext(context, 'context.') : []),
    ...(isJsonObject(context) && memory !== undefined && context.memory !== undefined ? [TWICE] : []),
  ];
  if (violations.length > 0) throw invalidParams(violations);
  return {
    inputs: isJsonObject(inputs) ? inputs : {},
    ...(isJsonObject(memory) ? { memory } : {}),
    ...(isJsonObject(context) ? { context } : {}),
  };
}

function mustBeObject(members: JsonObject): readonly FieldViolation[] {
  return Object.entries(members)
    .filter(([, value]) => value !== undefined && !isJsonObject(value))
    .map(([field]) => ({ field, description: 'must be an object' }));
}

const TWICE = { field: 'context.memory', description: 'is given beside memory: give one of them' };

/** Faults of a message's context object; paths begin with a dot. */
export function contextViolations(context: unknown): readonly FieldViolation[] {
  return isJsonObject(context) ? wrongInContext(context, '.') : [{ field: '', description: 'must be an object' }];
}

function wrongInContext(context: JsonObject, path: string): readonly FieldViolation[] {
  const wrong = Object.entries(context).flatMap(([name, value]) => {
    const member = Object.hasOwn(CONTEXT_MEMBERS, name) ? CONTEXT_MEMBERS[name] : undefined;
    return member === undefined || member.fits(value) ? [] : [{ field: path + name, description: member.rule }];
  });
  return [...unknownIn(context, CONTEXT_NAMES, path), ...wrong];
}

function unknownIn(given: JsonObject, known: readonly string[], path: string): readonly FieldViolation[] {
  return Object.keys(given)
    .filter((name) => !known.includes(name))
    .map((name) => ({ field: `${path}${name}`, description: 'is not a known field' }));
}
