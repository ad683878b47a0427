import type { Schema } from '../../api/schema.js';

/** One field of a form. */
export interface Field {
  /** Empty for the only field of a schema that is no object: its value is the answer. */
  readonly name: string;
  readonly label: string;
  readonly description: string | undefined;
  /** Accepted values, in words: `a whole number, 1 to 90`; empty for any text. */
  readonly rule: string;
  readonly kind: 'text' | 'number' | 'yes-no' | 'choice';
  readonly choices: readonly string[];
  readonly isRequired: boolean;
  readonly preset: unknown;
}

/** A form with more fields than this is none: its answer is written as JSON. */
const MAX_FIELDS = 50;
const MAX_CHOICES = 200;
/** Characters of a default or a format that a rule shows. */
const MAX_RULE = 60;

/**
 * The fields of a flat object, of a single value, or of the first alternative that is an object; none where the schema has
 * anything else: then the answer is written as JSON.
 */
export function fieldsOf(schema: Schema | undefined): readonly Field[] {
  if (!isObject(schema)) return [];
  const { properties, required, anyOf, oneOf, type } = schema;
  if (isObject(properties)) {
    const members = Object.entries(properties);
    if (members.length > MAX_FIELDS) return [];
    const fields = members.map(([name, member]) => fieldOf(name, member, Array.isArray(required) ? required : []));
    const known = fields.filter((field) => field !== undefined);
    return known.length === fields.length ? known : [];
  }
  const alternatives: unknown = anyOf ?? oneOf;
  if (Array.isArray(alternatives)) {
    const object = alternatives.find((one) => isObject(one) && isObject(one.properties)) as Schema | undefined;
    return fieldsOf(object);
  }
  // A text needs no form.
  const field = type === 'string' && schema.enum === undefined ? undefined : fieldOf('', schema, ['']);
  return field === undefined ? [] : [field];
}

function fieldOf(name: string, given: unknown, required: readonly unknown[]): Field | undefined {
  if (!isObject(given)) return undefined;
  const member = withoutNull(given);
  const kind = kindOf(member);
  if (kind === undefined) return undefined;
  const label = typeof member.title === 'string' && member.title !== '' ? member.title : name;
  const choices = kind === 'choice' ? (member.enum ?? []).map(String) : [];
  const preset = fits(member.default, kind, choices) ? member.default : undefined;
  const description = typeof member.description === 'string' ? member.description : undefined;
  const isRequired = required.includes(name);
  return { name, label, description, rule: ruleOf(member, kind), kind, choices, isRequired, preset };
}

/** A field is filled in or absent, and never null. */
function withoutNull({ type, enum: values, ...rest }: Schema): Schema {
  const types: readonly unknown[] = (Array.isArray(type) ? type : [type]).filter((one) => one !== 'null');
  return {
    ...rest,
    ...(type === undefined ? {} : { type: types.length === 1 ? types[0] : types }),
    ...(values === undefined ? {} : { enum: Array.isArray(values) ? values.filter((one) => one !== null) : values }),
  };
}

function ruleOf(schema: Schema, kind: Field['kind']): string {
  const { type, format, minimum, maximum, minLength, maxLength } = schema;
  const said = [
    kind === 'number' ? (type === 'integer' ? 'a whole number' : 'a number') : '',
    kind === 'text' && typeof format === 'string' ? format.slice(0, MAX_RULE) : '',
    ...(kind === 'number' ? [rangeOf(minimum, maximum, '')] : []),
    ...(kind === 'text' ? [rangeOf(minLength, maxLength, ' characters')] : []),
  ];
  return said.filter((words) => words !== '').join(', ');
}

function rangeOf(least: unknown, most: unknown, unit: string): string {
  if (typeof least === 'number' && typeof most === 'number') return `${String(least)} to ${String(most)}${unit}`;
  if (typeof least === 'number') return `at least ${String(least)}${unit}`;
  return typeof most === 'number' ? `at most ${String(most)}${unit}` : '';
}

/** Whether a form can show a value: values that it does not show are not sent. */
function fits(value: unknown, kind: Field['kind'], choices: readonly string[]): boolean {
  switch (kind) {
    case 'yes-no':
      return typeof value === 'boolean';
    case 'number':
      return typeof value === 'number';
    case 'text':
      return typeof value === 'string';
    case 'choice':
      return typeof value === 'string' && choices.includes(value);
  }
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function kindOf({ type, enum: choices }: Schema): Field['kind'] | undefined {
  if (Array.isArray(choices)) {
    const isChoice = choices.length <= MAX_CHOICES && choices.every((choice) => typeof choice === 'string');
    return isChoice ? 'choice' : undefined;
  }
  if (choices !== undefined) return undefined;
  if (type === 'boolean') return 'yes-no';
  if (type === 'number' || type === 'integer') return 'number';
  return type === 'string' ? 'text' : undefined;
}

/** Initial input of a skill: its defaults, and nothing that its author has not named. */
export function defaultsOf(fields: readonly Field[]): Values {
  return Object.fromEntries(
    fields.flatMap(({ name, preset }) => (preset === undefined ? [] : [[name, preset] as const])),
  );
}

/** Filled-in values, by the names of the fields. */
export type Values = Readonly<Record<string, unknown>>;

/** The value of a form: that of its only field without a name, or an object. */
export function valueIn(fields: readonly Field[], values: Values): unknown {
  return fields[0]?.name === '' ? values[''] : values;
}

/** A field that decides: each of its values is a button. */
export interface Decision {
  readonly field: Field;
  readonly options: readonly Option[];
}

export interface Option {
  readonly value: boolean | string;
  /** The words of its button. */
  readonly text: string;
  /** Whether it agrees. Every other option asks before it is sent. */
  readonly isYes: boolean;
}

const YES = /^(approved?|accept(ed)?|agreed?|allow(ed)?|confirm(ed)?|grant(ed)?|permit(ted)?|yes|ok|proceed)$/i;
const NO = /^(reject(ed)?|decline[sd]?|den(y|ied)|refused?|disagreed?|disallow(ed)?|forbid(den)?|no|cancel|stop)$/i;
/** Names of booleans that are decisions: `approve`, `isApproved`, `shouldProceed`. */
const NAME =
  /^(is|should|do|may)?_?(approved?|approval|accept(ed)?|agreed?|allow(ed)?|confirm(ed)?|consent|grant(ed)?|permit(ted)?|proceed|decision|verdict)$/i;
const MAX_OPTIONS = 5;

/** The decision that a form asks for: its one field that is a yes or no by its name, or whose choices say both. */
export function decisionOf(fields: readonly Field[]): Decision | undefined {
  const decisions = fields.filter(isDecision);
  const [field] = decisions;
  if (field === undefined || decisions.length > 1) return undefined;
  if (field.kind === 'yes-no') return { field, options: APPROVE_OR_REJECT };
  const options = field.choices.map((value) => ({ value, text: capitalized(value), isYes: YES.test(value) }));
  // The options that agree come first.
  return { field, options: [...options.filter(({ isYes }) => isYes), ...options.filter(({ isYes }) => !isYes)] };
}

function isDecision({ name, kind, choices }: Field): boolean {
  if (kind === 'yes-no') return name === '' || NAME.test(name);
  const isShort = kind === 'choice' && choices.length <= MAX_OPTIONS;
  return isShort && choices.some((choice) => YES.test(choice)) && choices.some((choice) => NO.test(choice));
}

const APPROVE_OR_REJECT: readonly Option[] = [
  { value: true, text: 'Approve', isYes: true },
  { value: false, text: 'Reject', isYes: false },
];

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
