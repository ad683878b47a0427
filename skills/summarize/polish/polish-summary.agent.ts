import { IsInt, IsString, Max, Min } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import {
  Agent,
  call,
  compute,
  critic,
  type CriticValue,
  FlowAgent,
  from,
  result,
  say,
  sequential,
} from '@parley/sdk/agent';
import type { ReviewDto } from './review.dto.js';

/** Text to summarize. */
export class PolishSummaryInput {
  @JSONSchema({ description: 'The text; without it, the text parts of the message.' })
  @IsString()
  readonly text!: string;

  @JSONSchema({ description: 'The most words that the summary may have.' })
  @IsInt()
  @Min(20)
  @Max(400)
  readonly maxWords: number = 120;
}

/** How the next draft is to be made. */
interface Plan {
  readonly sentences: number;
  readonly leaveOut: readonly string[];
}

interface State {
  readonly input: PolishSummaryInput;
  readonly plan?: Plan;
  readonly summarized?: { readonly summary: string };
  readonly review?: ReviewDto;
  readonly polished: CriticValue & { readonly draft: string; readonly review: ReviewDto };
}

const MAX_ROUNDS = 4;
/** Words of a sentence of English prose, to plan the first draft. */
const DEFAULT_WORDS = 24;
const MAX_SENTENCES = 15;

/** Summarizes, reviews, and summarizes again until the review has no fault: a generator and a critic. */
@Agent({
  id: 'polish_summary',
  name: 'Polish a summary',
  description:
    'Summarizes an English text within a number of words, and improves the summary until a review finds no fault: too long, key terms missing, references that lead nowhere. Says what is still wrong after four rounds.',
  tags: ['text', 'summary', 'english', 'agent'],
  examples: ['Summarize this report in 100 words'],
  inputModes: ['text/plain', 'text/markdown', 'application/json'],
  outputModes: ['text/plain', 'application/json'],
  input: PolishSummaryInput,
})
export class PolishSummaryAgent extends FlowAgent {
  readonly flow = sequential<State>(
    critic({
      as: 'polished',
      generate: sequential(
        compute('plan', nextPlan),
        call('summarize_text', { as: 'summarized', input: ({ input, plan }) => ({ text: input.text, ...plan }) }),
        compute('draft', ({ summarized }) => summarized?.summary ?? ''),
      ),
      review: call('review_summary', {
        input: { text: from.input('text'), summary: from.state('draft'), maxWords: from.input('maxWords') },
      }),
      accept: (_review, { review }) => review?.passed === true,
      maxRounds: MAX_ROUNDS,
    }),
    say(
      ({ polished: { rounds, outcome } }) =>
        `${outcome === 'done' ? 'Accepted' : 'Not accepted'} after ${String(rounds)} rounds`,
    ),
    result('summary', ({ polished }) => resultOf(polished), { name: 'Summary' }),
  );
}

/** Fewer sentences if the last draft was too long, more if it said too little, and none that refers to a missing one. */
function nextPlan({ input, plan, review }: State): Plan {
  if (plan === undefined || review === undefined) {
    return { sentences: within(Math.round(input.maxWords / DEFAULT_WORDS)), leaveOut: [] };
  }
  const rules = new Set(review.faults.map(({ rule }) => rule));
  const change = rules.has('length') ? -1 : rules.has('coverage') ? 1 : 0;
  const dangling = review.faults.flatMap(({ sentence }) => sentence ?? []);
  return { sentences: within(plan.sentences + change), leaveOut: [...plan.leaveOut, ...dangling] };
}

function within(sentences: number): number {
  return Math.max(1, Math.min(MAX_SENTENCES, sentences));
}

function resultOf({ draft, rounds, review: { passed, words, coverage, faults } }: State['polished']) {
  return [{ text: draft }, { data: { accepted: passed, rounds, words, coverage, stillWrong: faults } }];
}
