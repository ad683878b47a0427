import type { Part } from '@parley/protocol/model/message.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { CallInput } from '../skill/calls/call.js';
import { misfits } from './check/schema-fit.js';
import { knownAt, type SourceKind } from './check/source-check.js';
import type { Known, Scope } from './check/scope.js';
import { asked, type Facts, type Frame } from './step.js';

/** A value that a step is given, as data: its type is known before the flow runs. Made by `from`. */
export class Source {
  constructor(
    private readonly kind: SourceKind,
    private readonly name: string,
    private readonly path = '',
    private readonly constant?: unknown,
  ) {}

  /** The value as JSON; undefined where there is none. */
  read(frame: Frame): unknown {
    return memberAt(this.whole(frame), this.path);
  }

  /** As the input of a call. */
  toCall(frame: Frame): CallInput {
    return this.kind === 'message' ? messageParts(frame) : callInputOf(this.read(frame));
  }

  check(scope: Scope): Known {
    const { kind, name, path, constant } = this;
    return knownAt({ kind, name, path, constant }, scope);
  }

  /** As the whole input of a call. */
  checkCall(scope: Scope): Known {
    return this.kind === 'message' ? scope.message : this.check(scope);
  }

  private whole(frame: Frame): unknown {
    switch (this.kind) {
      case 'message':
        return frame.context.text;
      case 'state':
        return frame.values.get(this.name);
      case 'last':
        return frame.facts.last;
      case 'item':
        return frame.facts.item;
      case 'value':
        return this.constant;
    }
  }
}

/** Where the input of a step comes from. Paths are names joined by dots: `totals.payable`. */
export const from = {
  /** The message of the task: all its parts, or its text inside of an object. */
  message: (): Source => new Source('message', 'message'),
  /** The typed input of the agent, or a member of it. */
  input: (path?: string): Source => new Source('state', 'input', path),
  /** A value that an earlier step has left, or a member of it. */
  state: (name: string, path?: string): Source => new Source('state', name, path),
  /** The value of the step before. */
  last: (path?: string): Source => new Source('last', 'last', path),
  /** The item of the innermost `map`. */
  item: (path?: string): Source => new Source('item', 'item', path),
  /** A constant. */
  value: (constant: unknown): Source => new Source('value', 'value', '', constant),
} as const;

/**
 * The input of a call: a source, an object of sources and constants, or a pure function of the values. Sources are checked
 * at the start of the service, functions when the call is made.
 */
export type StepInput<State extends object> =
  Source | Readonly<Record<string, unknown>> | ((state: State, facts: Facts) => CallInput);

/** The same, for an input whose members the compiler knows. */
export type TypedInput<State extends object, Input> =
  | Source
  | (Input extends object ? { readonly [Name in keyof Input]: Input[Name] | Source } : never)
  | ((state: State, facts: Facts) => CallInput & Input);

const NO_FIELDS: JsonObject = { type: 'object', properties: {} };

/** The input of a call when it is made. Without one, the value of the step before, and at first the message. */
export function inputOf<State extends object>(input: StepInput<State> | undefined, frame: Frame): CallInput {
  if (input === undefined) {
    return frame.facts.last === undefined ? messageParts(frame) : callInputOf(frame.facts.last);
  }
  if (isFunction(input)) return asked(input, frame);
  return input instanceof Source ? input.toCall(frame) : readMembers(input, frame);
}

/** Checks that the input fits the input schema of a skill; names both sides where it does not. */
export function checkInput<State extends object>(
  input: StepInput<State> | undefined,
  target: { readonly skillId: string; readonly schema: JsonObject | undefined },
  scope: Scope,
): void {
  if (isFunction(input)) return;
  const given = input === undefined ? scope.last : inputKnown(input, scope);
  if (given.isOptional === true) scope.fault(`${given.origin} is not there on every way to this step`);
  // A text is a text part: the fields of the contract are not given.
  const schema = given.schema?.type === 'string' ? NO_FIELDS : given.schema;
  for (const { path, text } of misfits(schema, target.schema)) {
    const field = path === '' ? 'the input' : `"${path}"`;
    scope.fault(`${given.origin} does not fit "${target.skillId}": ${field} ${text}`);
  }
}

function inputKnown(input: Source | Readonly<Record<string, unknown>>, scope: Scope): Known {
  if (input instanceof Source) return input.checkCall(scope);
  const members = Object.entries(input).map(([name, value]) => [name, memberKnown(value, scope)] as const);
  const properties = Object.fromEntries(members.map(([name, { schema }]) => [name, schema ?? {}]));
  const required = members.filter(([, { isOptional }]) => isOptional !== true).map(([name]) => name);
  const origins = members.map(([name, { origin }]) => `${name}: ${origin}`);
  return { schema: { type: 'object', properties, required }, origin: `{ ${origins.join(', ')} }` };
}

function memberKnown(value: unknown, scope: Scope): Known {
  return value instanceof Source ? value.check(scope) : from.value(value).check(scope);
}

function readMembers(input: Readonly<Record<string, unknown>>, frame: Frame): JsonObject {
  const read = Object.entries(input).map(([name, value]) => [
    name,
    value instanceof Source ? value.read(frame) : value,
  ]);
  return Object.fromEntries(read.filter(([, value]) => value !== undefined)) as JsonObject;
}

/** An object is one data part, a text a text part, and everything else the value of a data part. */
function callInputOf(value: unknown): CallInput {
  if (typeof value === 'string') return value;
  return isRecord(value) ? value : [{ data: value ?? null }];
}

function messageParts({ context }: Frame): readonly Part[] {
  return context.messages.flatMap(({ parts }) => parts);
}

function memberAt(value: unknown, path: string): unknown {
  if (path === '') return value;
  return path.split('.').reduce<unknown>((at, name) => (isRecord(at) ? at[name] : undefined), value);
}

function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isFunction<State extends object>(
  input: StepInput<State> | undefined,
): input is (state: State, facts: Facts) => CallInput {
  return typeof input === 'function';
}
