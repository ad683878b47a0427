import { acceptsMode, artifact, type Part, rejected, working, type SkillEvent } from '@parley/sdk';
import { Skill, type SkillContext, type SkillHandler } from '@parley/sdk';
import type { ReadText } from './pieces.js';
import { readText } from './sentence.js';
import { SummarizeTextInput, SummarizeTextOutput } from './summarize-text.input.js';
import { cutText, summarize } from './summary.js';

/** Some 2,000 sentences of prose, read and ranked within a second; see docs/decisions/0020. */
const MAX_CHARACTERS = 200_000;
/** A text of fewer sentences or words is its own summary. */
const FEWEST_SENTENCES = 3;
const FEWEST_WORDS = 30;
const OUTPUT_MODES = ['text/plain', 'application/json'] as const;

/** Picks the sentences of a text that say most of it. */
@Skill({
  id: 'summarize_text',
  name: 'Summarize text',
  description:
    'Summarizes an English text, or one of another language, by its most telling sentences. `length` (short, medium, long) in the metadata or in a data part says how much to keep.',
  tags: ['text', 'summary', 'english'],
  examples: ['Summarize: The city council met on Monday …'],
  inputModes: ['text/plain', 'text/markdown', 'application/json'],
  outputModes: OUTPUT_MODES,
  input: SummarizeTextInput,
  output: SummarizeTextOutput,
})
export class SummarizeTextSkill implements SkillHandler {
  async *run(context: SkillContext<SummarizeTextInput>): AsyncGenerator<SkillEvent, void, void> {
    const { input, signal, acceptedOutputModes } = context;
    const refusal = sizeRefusalOf(input.text);
    if (refusal !== undefined) {
      yield rejected(refusal);
      return;
    }
    yield working('Reading the text');
    const read = await readText(input.text, signal);
    const { sentences } = read;
    const isWhole = isShort(read, input);
    if (!isWhole) yield working(`Ranking ${String(sentences.length)} sentences`);
    const kept = isWhole ? sentences.map(({ text }) => text) : await summarize(sentences, input, signal);
    const summary = isWhole ? cutText(input.text.trim(), input.length) : kept.join(' ');
    yield artifact('summary', partsOf(summary, acceptedOutputModes), {
      name: 'Summary',
      metadata: { length: input.length, sentences: kept.length, sentencesRead: sentences.length },
    });
  }
}

/** Whether a text is its own summary. A caller that counts sentences gets them of any text that has enough. */
function isShort({ sentences, words }: ReadText, { sentences: wanted, leaveOut = [] }: SummarizeTextInput): boolean {
  const isCounted = wanted !== undefined || leaveOut.length > 0;
  return sentences.length < FEWEST_SENTENCES || (words <= FEWEST_WORDS && !isCounted);
}

/** A text for people and a value for programs: those that the caller accepts, both where it accepts all. */
function partsOf(summary: string, accepted: readonly string[]): readonly Part[] {
  const parts: Readonly<Record<(typeof OUTPUT_MODES)[number], Part>> = {
    'text/plain': { text: summary },
    'application/json': { data: { summary } },
  };
  const taken = OUTPUT_MODES.filter((mode) => acceptsMode(accepted, mode));
  return (taken.length === 0 ? OUTPUT_MODES : taken).map((mode) => parts[mode]);
}

function sizeRefusalOf(text: string): string | undefined {
  if (text.trim() === '') return 'There is no text to summarize: send it as a text part.';
  if (text.length <= MAX_CHARACTERS) return undefined;
  return `The text is too long: at most ${String(MAX_CHARACTERS)} characters can be summarized.`;
}
