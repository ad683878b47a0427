import type { JsonObject } from '@parley/protocol/model/json.js';
import { formSchemaIn, QUESTIONS_EXTENSION } from '@parley/protocol/extension/questions.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import type { RemoteStatus } from '@parley/protocol/remote/remote-model.js';
import { usageError } from '../context/cli-error.js';
import { shellWord } from '../context/shell-word.js';

/** A question that a task shows, as far as a form needs it. */
export interface ShownQuestion {
  /** Absent: the agent numbers no questions, and the answer is the task's next message. */
  readonly id?: string;
  readonly text: string;
  /** JSON Schema of the answer; absent: any text. */
  readonly schema?: JsonObject;
}

/** A field of a form: a property of the schema. */
export interface FormField {
  readonly name: string;
  readonly title: string;
  readonly isRequired: boolean;
  readonly schema: JsonObject;
}

/** The questions of a status: those that the extension lists, else the message itself, with the schema of its form if it has one. */
export function questionsOf({ message }: RemoteStatus): readonly ShownQuestion[] {
  const text = (message?.parts ?? []).flatMap((part) => ('text' in part ? [part.text] : [])).join('\n');
  const entry = message?.metadata?.[QUESTIONS_EXTENSION];
  const listed = isJsonObject(entry) && Array.isArray(entry.questions) ? entry.questions.flatMap(shown) : [];
  if (listed.length > 0) return listed;
  const schema = formSchemaIn(message?.parts);
  return [{ text, ...(schema === undefined ? {} : { schema }) }];
}

function shown(question: unknown): readonly ShownQuestion[] {
  if (!isJsonObject(question) || typeof question.id !== 'string') return [];
  const { id, text, schema } = question;
  return [{ id, text: typeof text === 'string' ? text : '', ...(isJsonObject(schema) ? { schema } : {}) }];
}

/** The fields of a flat schema, or of its first alternative that is one, in its order; none for a schema of another shape. */
export function fieldsOf(schema: JsonObject): readonly FormField[] {
  const { properties, required, anyOf, oneOf } = schema;
  const alternatives: unknown = anyOf ?? oneOf;
  if (!isJsonObject(properties)) {
    const alternative: unknown = Array.isArray(alternatives) ? alternatives.find(hasFields) : undefined;
    return isJsonObject(alternative) ? fieldsOf(alternative) : [];
  }
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(properties).map(([name, property]) => {
    const own = isJsonObject(property) ? property : {};
    const title = [own.title, own.description].find((one) => typeof one === 'string' && one !== '');
    return { name, title: typeof title === 'string' ? title : name, isRequired: needed.includes(name), schema: own };
  });
}

function hasFields(schema: unknown): boolean {
  return isJsonObject(schema) && isJsonObject(schema.properties);
}

/** Describes the accepted input of a field, in words. */
export function hintOf({ schema, isRequired }: FormField): string {
  const choices = Array.isArray(schema.enum) ? schema.enum.map(String).join(' | ') : undefined;
  const kind =
    choices ?? (schema.type === 'array' ? 'a, b, …' : typeof schema.type === 'string' ? schema.type : 'text');
  const preset = presetOf(schema) === undefined ? '' : `, default ${JSON.stringify(schema.default)}`;
  return `${kind}${preset}${isRequired ? '' : ', may be empty'}`;
}

/** The value of a field that is left empty. A yes or no and a choice have none: only a person decides (I20). */
function presetOf(schema: JsonObject): unknown {
  return schema.type === 'boolean' || Array.isArray(schema.enum) ? undefined : schema.default;
}

/** The value of a field from typed text; undefined for nothing. @throws CliError usage */
export function valueOf({ name, schema }: FormField, typed: string): unknown {
  if (typed === '') return presetOf(schema);
  const fault = (wanted: string): never => {
    throw usageError(`${name} must be ${wanted}`);
  };
  if (Array.isArray(schema.enum)) {
    const found: unknown = schema.enum.find((one) => String(one) === typed);
    return found === undefined ? fault(`one of ${schema.enum.map(String).join(', ')}`) : found;
  }
  switch (schema.type) {
    case 'number':
    case 'integer': {
      const number = Number(typed);
      const isRight = Number.isFinite(number) && (schema.type === 'number' || Number.isInteger(number));
      return isRight ? number : fault(schema.type === 'number' ? 'a number' : 'a whole number');
    }
    case 'boolean':
      if (/^(y|yes|true)$/i.test(typed)) return true;
      return /^(n|no|false)$/i.test(typed) ? false : fault('yes or no');
    case 'array': {
      const item: FormField = {
        name,
        title: name,
        isRequired: true,
        schema: isJsonObject(schema.items) ? schema.items : {},
      };
      return typed.split(',').map((one) => valueOf(item, one.trim()));
    }
    default:
      return typed;
  }
}

/** The answer from `--field name=value`. @throws CliError usage that names a field that is unknown or missing */
export function answerOf(schema: JsonObject, given: ReadonlyMap<string, string>): JsonObject {
  const fields = fieldsOf(schema);
  const unknown = [...given.keys()].find((name) => !fields.some((field) => field.name === name));
  if (unknown !== undefined) {
    throw usageError(`The question has no field ${unknown}; it has ${fields.map(({ name }) => name).join(', ')}`);
  }
  const values = fields.map((field) => [field, valueOf(field, given.get(field.name) ?? '')] as const);
  const missing = values.find(([field, value]) => field.isRequired && value === undefined);
  if (missing !== undefined)
    throw usageError(`The question needs --field ${shellWord(missing[0].name)}=<${hintOf(missing[0])}>`);
  return Object.fromEntries(values.flatMap(([{ name }, value]) => (value === undefined ? [] : [[name, value]])));
}
