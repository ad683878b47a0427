import { createHash } from 'node:crypto';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Scope } from '../agent/check/scope.js';
import { Source } from '../agent/source.js';
import type { Frame } from '../agent/step.js';

/** Characters of a text that may stand in an instruction. */
const MAX_WORD = 64;
/** Characters of one block of data. */
const MAX_DATA = 65_536;
/** Control characters, and marks that change the direction of text. */
const HIDDEN = /[^\P{Cc}\n\r\t]|[\u202A-\u202E\u2066-\u2069]/gu;

/** A value that its author allows in an instruction although it is free text. Made by `plain`. */
class Plain {
  constructor(readonly source: Source) {}
}

/** Lets free text into an instruction: only for texts that are not from callers, tools or other agents. */
export function plain(source: Source): Plain {
  return new Plain(source);
}

/** An instruction with values of the flow. Made by `prompt`. */
export class Prompt {
  constructor(
    private readonly texts: readonly string[],
    private readonly values: readonly (Source | Plain)[],
  ) {}

  read(frame: Frame): string {
    return this.texts.map((text, at) => `${text}${this.valueAt(at, frame)}`).join('');
  }

  /** Values in an instruction are numbers, dates or words of a bounded form: other text could give orders to the model. */
  check(scope: Scope): void {
    for (const value of this.values) {
      const known = (value instanceof Plain ? value.source : value).check(scope);
      if (value instanceof Plain || isBounded(known.schema)) continue;
      scope.fault(`${known.origin} is free text: put it into \`data\`, or say plain(…) in the instruction`);
    }
  }

  private valueAt(at: number, frame: Frame): string {
    const value = this.values[at];
    if (value === undefined) return '';
    return asText((value instanceof Plain ? value.source : value).read(frame)).replaceAll(HIDDEN, '');
  }
}

/** An instruction with values: `` prompt`Answer in ${from.input('language')}.` ``. Braces are text. */
export function prompt(texts: TemplateStringsArray, ...values: readonly (Source | Plain)[]): Prompt {
  return new Prompt(texts, values);
}

function isBounded(schema: JsonObject | undefined): boolean {
  const { type, enum: values, const: constant, format, maxLength, pattern } = schema ?? {};
  if (Array.isArray(values) || constant !== undefined) return true;
  if (type === 'number' || type === 'integer' || type === 'boolean') return true;
  if (type !== 'string') return false;
  if (format === 'date' || format === 'date-time' || format === 'uuid') return true;
  return typeof maxLength === 'number' && maxLength <= MAX_WORD && typeof pattern === 'string';
}

/** Values for the model that may say anything, by name. */
export type PromptData = Readonly<Record<string, Source>>;

/** Values as blocks that are marked as data. The mark depends on the content, which cannot have it in itself. */
export function dataBlocks(data: PromptData, frame: Frame): string {
  return Object.entries(data)
    .map(([name, source]) => {
      const text = asText(source.read(frame)).replaceAll(HIDDEN, '').slice(0, MAX_DATA);
      const mark = createHash('sha256').update(`${frame.context.taskId} ${name} ${text}`).digest('hex').slice(0, 12);
      return `<data-${mark} name=${JSON.stringify(name)}>\n${text}\n</data-${mark}>`;
    })
    .join('\n\n');
}

function asText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
