import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { SkillEvent } from 'parley/skill';
import { hostileTexts } from '../../test/kit/hostile/texts.js';
import { loopDelayOf } from '../../test/kit/hostile/loop-delay.js';
import { runSkill } from 'parley/testing';
import { SummarizeTextSkill } from './summarize-text.skill.js';

const essay = readFileSync(new URL('../../scripts/demo/text.txt', import.meta.url), 'utf8');
const german =
  'Der Stadtrat hat am Montag in einer langen Sitzung beschlossen, die alte Brücke über den Fluss zu sanieren. ' +
  'Das war nicht so einfach, wie viele Bürger der Stadt zunächst gedacht hatten. Am Ende stimmte eine Mehrheit ' +
  'der Mitglieder für den Plan, und die Arbeiten beginnen im Mai. Bis dahin bleibt die Brücke für schwere Fahrzeuge gesperrt.';

const textOf = (events: readonly SkillEvent[]): string =>
  (events.at(-1)?.parts ?? []).map((part) => ('text' in part ? part.text : '')).join('');

describe(SummarizeTextSkill.name, () => {
  it('reports progress and gives one artifact with what the text is about', async () => {
    const events = await runSkill(SummarizeTextSkill, essay);
    expect(events.map(({ kind }) => kind)).toEqual(['status', 'status', 'artifact']);
    expect(events.at(-1)).toMatchObject({ artifactId: 'summary', metadata: { length: 'medium', sentencesRead: 84 } });
    expect(textOf(events)).toContain('carried the first telegraph message between Europe and North America.');
  });

  it('takes whole sentences of the text, in their order', async () => {
    const summary = textOf(await runSkill(SummarizeTextSkill, { text: essay, data: [{ length: 'long' }] }));
    const flat = essay.replace(/\s+/g, ' ');
    const places = summary.split(/(?<=\.) (?=[A-Z])/).map((sentence) => flat.indexOf(sentence));
    expect(places).not.toContain(-1);
    expect(places).toEqual([...places].sort((one, other) => one - other));
  });

  it.each([
    ['in a data part', { data: [{ length: 'short' }] }],
    ['in the metadata of the message', { messageMetadata: { length: 'short' } }],
    ['in the metadata of the request', { metadata: { length: 'short' } }],
  ])('takes the length %s', async (_, input) => {
    const events = await runSkill(SummarizeTextSkill, { text: essay, ...input });
    expect(events.at(-1)).toMatchObject({ metadata: { length: 'short', sentences: 3 } });
  });

  it('gives longer summaries for longer lengths', async () => {
    const sizes = await Promise.all(
      ['short', 'medium', 'long'].map(async (length) => {
        return textOf(await runSkill(SummarizeTextSkill, { text: essay, data: [{ length }] })).length;
      }),
    );
    expect(sizes).toEqual([...sizes].sort((one, other) => one - other));
    expect(sizes[2]).toBeLessThan(essay.length / 2);
  });

  it.each([
    ['no text', '', 'There is no text'],
    ['white space', ' \n\n ', 'There is no text'],
    ['one sentence', 'A single sentence stands here alone.', 'too short'],
    ['another language', german, 'only English'],
    ['a huge text', 'a'.repeat(200_001), 'too long'],
    ['words without a sentence', 'word '.repeat(30), 'too short'],
  ])('rejects %s', async (_, text, reason) => {
    const last = (await runSkill(SummarizeTextSkill, text)).at(-1);
    expect(last).toMatchObject({ state: 'TASK_STATE_REJECTED' });
    expect(JSON.stringify(last?.parts)).toContain(reason);
  });

  it('takes the text from the data part when it has one', async () => {
    const events = await runSkill(SummarizeTextSkill, { data: [{ text: essay, length: 'short' }] });
    expect(events.at(-1)).toMatchObject({ metadata: { length: 'short', sentencesRead: 84 } });
  });

  it('does not take an unknown length', async () => {
    await expect(runSkill(SummarizeTextSkill, { text: essay, data: [{ length: 'huge' }] })).rejects.toMatchObject({
      violations: [
        {
          field: 'message.parts[1].data.length',
          description: 'length must be one of the following values: short, medium, long',
        },
      ],
    });
  });

  // A slice is cut at 10 ms and ends with the sentence or the piece that it is in. The bound has room for the garbage
  // collector, a cold compiler and a busy machine; without the cuts the first of these texts takes minutes.
  it.each(hostileTexts(50_000))('computes in short slices: %s', async (_, text) => {
    await runSkill(SummarizeTextSkill, essay);
    const { result, longestMs } = await loopDelayOf(() => runSkill(SummarizeTextSkill, text));
    expect(result.at(-1)?.kind === 'artifact' || textOf(result) !== '').toBe(true);
    expect(longestMs).toBeLessThan(500);
  });

  it('holds it no longer when many summaries run at the same time', async () => {
    const text = 'This is one short sentence. '.repeat(1_000);
    await runSkill(SummarizeTextSkill, essay);
    const runs = (): Promise<unknown> =>
      Promise.all(Array.from({ length: 20 }, () => runSkill(SummarizeTextSkill, text)));
    expect((await loopDelayOf(runs)).longestMs).toBeLessThan(500);
  });

  it('reads on over the cuts: a sentence is whole wherever a piece ends', async () => {
    const sentence = 'Every sentence of this long paragraph is told apart from its neighbours by Mr. Smith himself. ';
    const events = await runSkill(SummarizeTextSkill, sentence.repeat(200));
    expect(events.at(-1)).toMatchObject({ metadata: { sentencesRead: 200 } });
  });

  it('cuts what is too long for a word', async () => {
    const link = `https://example.com/${'x'.repeat(500)}`;
    const events = await runSkill(SummarizeTextSkill, `The first report is at ${link} today.\n\n${essay}`);
    expect(textOf(events)).not.toContain(link);
    expect(events.at(-1)).toMatchObject({ metadata: { sentencesRead: 85 } });
  });

  it('stops when it is aborted', async () => {
    const signal = AbortSignal.abort();
    await expect(runSkill(SummarizeTextSkill, { text: essay.repeat(5), signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
  });
});
