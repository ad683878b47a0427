import type { Schema } from '../api/schema.js';

/** One field of a form. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly kind: 'text' | 'number' | 'switch' | 'choice';
  readonly choices: readonly string[];
  readonly isRequired: boolean;
  readonly preset: unknown;
}

/** A form with more fields than this is none: its answer is written as JSON. */
const MOST_FIELDS = 50;
const MOST_CHOICES = 200;

/**
 * The fields of a flat object; none where the schema has anything else: then the answer is written as JSON. The schema may be
 * that of another agent, so every member may be anything.
 */
export function fieldsOf(schema: Schema | undefined): readonly Field[] {
  const { properties, required } = schema ?? {};
  if (!isObject(properties)) return [];
  const members = Object.entries(properties);
  if (members.length > MOST_FIELDS) return [];
  const fields = members.map(([name, member]) => fieldOf(name, member, Array.isArray(required) ? required : []));
  const known = fields.filter((field) => field !== undefined);
  return known.length === fields.length ? known : [];
}

function fieldOf(name: string, member: unknown, required: readonly unknown[]): Field | undefined {
  if (!isObject(member)) return undefined;
  const kind = kindOf(member);
  if (kind === undefined) return undefined;
  const label = typeof member.title === 'string' ? member.title : name;
  const choices = kind === 'choice' ? (member.enum ?? []).map(String) : [];
  const preset = fits(member.default, kind, choices) ? member.default : undefined;
  return { name, label, kind, choices, isRequired: required.includes(name), preset };
}

/** Whether a form can show a value: what it does not show is not sent. */
function fits(value: unknown, kind: Field['kind'], choices: readonly string[]): boolean {
  switch (kind) {
    case 'switch':
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
    const isChoice = choices.length <= MOST_CHOICES && choices.every((choice) => typeof choice === 'string');
    return isChoice ? 'choice' : undefined;
  }
  if (choices !== undefined) return undefined;
  if (type === 'boolean') return 'switch';
  if (type === 'number' || type === 'integer') return 'number';
  return type === 'string' ? 'text' : undefined;
}

/** A switch that is not touched says no: an answer must not lack what the form shows. */
export function defaultsOf(fields: readonly Field[]): Readonly<Record<string, unknown>> {
  const preset = fields.map(({ name, kind, preset: value }) => [
    name,
    value ?? (kind === 'switch' ? false : undefined),
  ]);
  return Object.fromEntries(preset.filter(([, value]) => value !== undefined)) as Readonly<Record<string, unknown>>;
}
