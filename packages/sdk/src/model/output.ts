import type { JsonObject } from '@parley/protocol/model/json.js';
import { checkContract } from '../skill/contract/dto-check.js';
import { jsonSchemaOf } from '../skill/contract/json-schema.js';
import { misfits } from '../skill/questions/answer-schema.js';
import type { DtoClass } from '../skill/skill.js';
import { SkillFailure } from '../skill/skill-failure.js';
import type { ModelReply } from './model.port.js';

/** One of several words, as the contract of an answer. Made by `choice`. */
export class Choice<Word extends string = string> {
  constructor(readonly words: readonly Word[]) {}
}

/** The contract of an answer: one of these words. */
export function choice<Word extends string>(...words: readonly Word[]): Choice<Word> {
  return new Choice(words);
}

/** The contract of an answer: a class, JSON Schema, or a choice of words. */
export type Output = DtoClass | JsonObject | Choice;

/** Thrown when an answer does not fit its contract, also after its repair. */
export class AnswerUnfit extends SkillFailure {
  override readonly name = 'AnswerUnfit';
}

/** Faults that the model reads. */
const MAX_FAULTS = 20;

/** The value of an answer, or why it does not fit. */
export type Read = { readonly value: unknown } | { readonly fault: string };

/** The JSON Schema of the value of a contract. */
export function valueSchema(output: Output): JsonObject {
  if (output instanceof Choice) return { type: 'string', enum: output.words };
  return typeof output === 'function' ? jsonSchemaOf(output) : output;
}

/** The schema of the whole answer: vendors take an object only, so that any other value is its member `value`. */
export function answerSchema(output: Output): JsonObject {
  const schema = valueSchema(output);
  return isObjectSchema(schema) ? schema : { type: 'object', properties: { value: schema }, required: ['value'] };
}

/** Reads an answer by its contract. Models like to put JSON into a block of code, and a word alone. */
export async function readAnswer({ text }: Pick<ModelReply, 'text'>, output: Output): Promise<Read> {
  if (output instanceof Choice && output.words.includes(text.trim())) return { value: text.trim() };
  const whole = jsonIn(text);
  if (whole === undefined) return { fault: 'it is no JSON' };
  const value = isObjectSchema(valueSchema(output)) ? whole : memberOf(whole, 'value');
  const faults = await faultsOf(value, output);
  return faults.length === 0 ? { value } : { fault: faults.slice(0, MAX_FAULTS).join('; ') };
}

async function faultsOf(value: unknown, output: Output): Promise<readonly string[]> {
  const faults = misfits(valueSchema(output), value);
  if (faults.length > 0 || typeof output !== 'function') return faults.map(textOf);
  // The decorators of a class say more than its schema.
  const checked = await checkContract(output, value, 'answer');
  return checked.kind === 'fits' ? [] : checked.violations.map(textOf);
}

function textOf({ field, description }: { readonly field: string; readonly description: string }): string {
  return `${field} ${description}`;
}

function isObjectSchema({ type, properties, anyOf, oneOf }: JsonObject): boolean {
  return (
    anyOf === undefined &&
    oneOf === undefined &&
    (type === 'object' || (type === undefined && properties !== undefined))
  );
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : value;
}

function jsonIn(text: string): unknown {
  const [, inBlock = text] = /^\s*```(?:json)?\n([^]*)\n```\s*$/.exec(text) ?? [];
  try {
    return JSON.parse(inBlock) as unknown;
  } catch {
    return undefined;
  }
}
