import { APPROVALS, FILLERS, QUESTIONS, REJECTIONS } from './decision-words.js';

/** Decision in a text, or that it is a question itself. */
export type DecisionInText = 'approve' | 'reject' | 'question';

/** Characters: a longer text is no answer to a question of yes or no. */
const MAX_CHARACTERS = 10_000;

const ONE_OF = (words: readonly string[]): string => `(?:${words.join('|')})`;
const WORDS = new RegExp(String.raw`(?<![\p{L}\p{N}])${ONE_OF([...APPROVALS, ...FILLERS])}(?![\p{L}\p{N}])`, 'gu');
const APPROVAL = new RegExp(String.raw`(?<![\p{L}\p{N}])${ONE_OF(APPROVALS)}(?![\p{L}\p{N}])`, 'u');
const REJECTION = new RegExp(String.raw`^${ONE_OF(REJECTIONS)}(?![\p{L}\p{N}])`, 'u');

/** Reads the answer to a question of yes or no, in English, German, French or Japanese; undefined where it decides nothing. */
export function decisionIn(text: string): DecisionInText | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  const plain = folded(text);
  if (plain.includes('?') || QUESTIONS.test(plain)) return 'question';
  if (REJECTION.test(plain)) return isTakenBack(plain) ? undefined : 'reject';
  const rest = plain.replace(WORDS, '').replace(/[\s.,;:!。、✓✔👍-]/gu, '');
  return APPROVAL.test(plain) && rest === '' ? 'approve' : undefined;
}

/** `No, do not pay` rejects; `No objections, approved` says both. */
function isTakenBack(plain: string): boolean {
  let rest = plain;
  while (REJECTION.test(rest)) rest = rest.replace(REJECTION, '').replace(/^[\s.,;:!-]+/u, '');
  return APPROVAL.test(rest);
}

/** Lower case without accents, with plain spaces, dashes and apostrophes, and full-width signs as plain ones. */
function folded(text: string): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain
    .replace(/[’‘`´]/gu, "'")
    .replace(/\p{Pd}/gu, '-')
    .replace(/\s+/gu, ' ')
    .trim();
}
