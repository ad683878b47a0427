import type { JsonObject } from '@parley/protocol/model/json.js';
import { readRef } from '../skill/artifacts/artifact-ref.js';
import type { SkillContext } from '../skill/skill.js';
import { ToolError } from './tool-error.js';

/** Characters that the model is shown of the head and the tail of a stored result. */
const SHOWN = 2_048;
/** Characters of one read of a stored result. */
const MAX_READ = 16_384;
/** Characters of a result that is stored: an artifact has at most 1 MiB. */
const MAX_STORED = 262_144;
/** Control characters, and marks that change the direction of text. */
const HIDDEN = /[^\P{Cc}\n\r\t]|[\u202A-\u202E\u2066-\u2069]/gu;

/** The result of a tool as the model reads it: a long one is stored as an artifact of the tree, and read in pieces. */
export async function shortResult(
  { artifacts }: SkillContext,
  { text: given, key, mostChars }: { readonly text: string; readonly key: string; readonly mostChars: number },
): Promise<{ readonly text: string; readonly isLong: boolean }> {
  const text = given.replaceAll(HIDDEN, '');
  if (text.length <= mostChars) return { text, isLong: false };
  const reference = await artifacts.put(
    `result-${key.replaceAll(/[^\w.-]/g, '-')}`.slice(0, 256),
    text.slice(0, MAX_STORED),
  );
  const kept = Math.min(text.length, MAX_STORED);
  const lines = [
    `The result has ${String(text.length)} characters. read_result("${reference}", from, length) reads the first ${String(kept)} of them.`,
    `Its beginning:\n${text.slice(0, SHOWN)}`,
    `Its end:\n${text.slice(-SHOWN)}`,
  ];
  return { text: lines.join('\n\n'), isLong: true };
}

/** Reads a piece of a long result: offered beside other tools. */
export const READ_RESULT = {
  tool: {
    name: 'read_result',
    description: 'Reads a piece of a long result of another tool, by the reference that the result names.',
    parameters: {
      type: 'object',
      properties: {
        reference: { type: 'string' },
        from: { type: 'integer', minimum: 0, description: 'The first character, from 0.' },
        length: { type: 'integer', minimum: 1, maximum: MAX_READ },
      },
      required: ['reference'],
    },
  },
  bound: { kind: 'stored-result' },
} as const;

/** A piece of a stored result. @throws ToolError */
export async function readResult(
  { artifacts }: SkillContext,
  { reference, from = 0, length = MAX_READ }: JsonObject,
): Promise<string> {
  const isOne = typeof reference === 'string' && readRef(reference) !== undefined;
  const found = isOne ? await artifacts.get(reference) : undefined;
  if (found === undefined) throw new ToolError('There is no such result.', true);
  const begin = Math.max(0, Number(from) || 0);
  return found.text.slice(begin, begin + Math.min(MAX_READ, Math.max(1, Number(length) || MAX_READ)));
}
