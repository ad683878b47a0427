import { artifact, rejected, working, type SkillEvent } from 'parley/skill';
import { Skill, type SkillContext, type SkillHandler } from 'parley/skill';
import { readText, type ReadText } from './sentence.js';
import { SummarizeTextInput } from './summarize-text.input.js';
import { summarize } from './summary.js';

/** Some 2,000 sentences of prose, read and ranked within a second; see docs/decisions/0020. */
const MOST_CHARACTERS = 200_000;
const FEWEST_SENTENCES = 3;
/** Enough words to tell the language from. English prose has half stop words, other languages about a tenth. */
const TELLING_WORDS = 50;
const LEAST_STOP_WORD_SHARE = 0.15;

/** Picks the sentences of an English text that say most of it. */
@Skill({
  id: 'summarize_text',
  name: 'Summarize text',
  description:
    'Summarizes an English text by its most telling sentences. `length` (short, medium, long) in the metadata or in a data part says how much to keep.',
  tags: ['text', 'summary', 'english'],
  examples: ['Summarize: The city council met on Monday …'],
  inputModes: ['text/plain', 'text/markdown', 'application/json'],
  outputModes: ['text/plain'],
  input: SummarizeTextInput,
})
export class SummarizeTextSkill implements SkillHandler {
  async *run(context: SkillContext<SummarizeTextInput>): AsyncGenerator<SkillEvent, void, void> {
    const { input, signal } = context;
    const text = input.text ?? context.text;
    const unreadable = sizeRefusalOf(text);
    if (unreadable !== undefined) {
      yield rejected(unreadable);
      return;
    }
    yield working('Reading the text');
    const read = await readText(text, signal);
    const refusal = refusalOf(read);
    if (refusal !== undefined) {
      yield rejected(refusal);
      return;
    }
    yield working(`Ranking ${String(read.sentences.length)} sentences`);
    const summary = await summarize(read.sentences, input, signal);
    yield artifact('summary', summary.join(' '), {
      name: 'Summary',
      metadata: { length: input.length, sentences: summary.length, sentencesRead: read.sentences.length },
    });
  }
}

function sizeRefusalOf(text: string): string | undefined {
  if (text.trim() === '') {
    return 'There is no text to summarize: send it as a text part.';
  }
  if (text.length > MOST_CHARACTERS) {
    return `The text is too long: at most ${String(MOST_CHARACTERS)} characters can be summarized.`;
  }
  return undefined;
}

function refusalOf({ sentences, words, stopWordShare }: ReadText): string | undefined {
  if (words >= TELLING_WORDS && stopWordShare < LEAST_STOP_WORD_SHARE) {
    return 'The text does not read as English prose; only English can be summarized.';
  }
  if (sentences.length < FEWEST_SENTENCES) {
    return `The text is too short to summarize: it needs at least ${String(FEWEST_SENTENCES)} full sentences.`;
  }
  return undefined;
}
