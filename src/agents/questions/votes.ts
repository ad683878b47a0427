import canonicalize from 'canonicalize';
import type { OpenQuestion, Vote } from '@parley/protocol/extension/questions.js';
import type { FittingAnswer } from './answer-judge.js';

/** An answer, with the previous equal ones if its question needs several persons. */
export type GivenAnswer = FittingAnswer & { readonly votes: readonly Vote[] };

/** Number of persons who must give the same answer. */
export function neededOf({ approvers }: Pick<OpenQuestion, 'approvers'>): number {
  return approvers?.count ?? 1;
}

/** The equal answers to a question including this one; a different answer starts over. */
export function votesWith({ question }: Pick<FittingAnswer, 'question'>, vote: Vote): readonly Vote[] {
  if (neededOf(question) === 1) return [];
  const said = canonicalize(vote.value);
  return [...(question.votes ?? []).filter(({ value }) => canonicalize(value) === said), vote];
}

/** Whether an answer decides its question. */
export function isDecided({ question, votes }: GivenAnswer): boolean {
  return neededOf(question) === 1 || votes.length >= neededOf(question);
}
