import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { SkillEvent } from '@parley/sdk';
import { hostileTexts } from '../../test/kit/hostile/texts.js';
import { loopDelayOf } from '../../test/kit/hostile/loop-delay.js';
import { runSkill } from '@parley/sdk/testing';
import { SummarizeTextSkill } from './summarize-text.skill.js';

const essay = readFileSync(new URL('../../scripts/demo/text.txt', import.meta.url), 'utf8');
const german =
  'Der Stadtrat hat am Montag in einer langen Sitzung beschlossen, die alte Brücke über den Fluss zu sanieren. ' +
  'Das war nicht so einfach, wie viele Bürger der Stadt zunächst gedacht hatten. Am Ende stimmte eine Mehrheit ' +
  'der Mitglieder für den Plan, und die Arbeiten beginnen im Mai. Bis dahin bleibt die Brücke für schwere Fahrzeuge gesperrt.';

const textOf = (events: readonly SkillEvent[]): string =>
  (events.at(-1)?.parts ?? []).map((part) => ('text' in part ? part.text : '')).join('');

/** Sentences of one kind in many languages: their end marks, and the space between them. */
const SCRIPTS: readonly (readonly [language: string, sentences: readonly string[], space: string])[] = [
  [
    'Japanese',
    [
      '橋は月曜日に閉鎖されました。',
      '技術者が主桁に亀裂を見つけたためです！',
      '車は旧市街を通って迂回します。',
      '修理には二週間かかる見込みです。',
      '市は費用を六月までに発表します。',
    ],
    '',
  ],
  [
    'Chinese',
    [
      '这座桥在星期一关闭了。',
      '工程师在主梁上发现了一条裂缝。',
      '车辆绕道经过老城区。',
      '预计修理需要两个星期。',
      '市政府六月公布费用。',
    ],
    '',
  ],
  [
    'Korean',
    [
      '다리는 월요일에 폐쇄되었습니다.',
      '기술자들이 주요 들보에서 균열을 발견했습니다.',
      '차량은 구시가지를 돌아서 갑니다.',
      '수리에는 두 주가 걸릴 것으로 예상됩니다.',
      '시는 유월에 비용을 발표합니다.',
      '주민들은 그 결정을 환영했습니다.',
      '다리는 백 년 전에 세워졌습니다.',
      '학생들은 버스를 이용할 것입니다.',
    ],
    ' ',
  ],
  [
    'Thai',
    [
      'สะพานถูกปิดเมื่อวันจันทร์ที่ผ่านมา',
      'วิศวกรพบรอยร้าวในคานหลักของสะพาน',
      'รถยนต์ต้องอ้อมไปทางเมืองเก่า',
      'การซ่อมแซมคาดว่าจะใช้เวลาสองสัปดาห์',
      'เทศบาลจะประกาศค่าใช้จ่ายในเดือนมิถุนายน',
    ],
    ' ',
  ],
  [
    'Arabic',
    [
      'أغلق الجسر يوم الاثنين أمام جميع المركبات.',
      'هل وجد المهندسون شقا في العارضة الرئيسية للجسر؟',
      'تتحول السيارات إلى طريق المدينة القديمة.',
      'من المتوقع أن يستغرق الإصلاح أسبوعين كاملين.',
      'تعلن المدينة عن التكاليف في شهر يونيو.',
    ],
    ' ',
  ],
  [
    'Hindi',
    [
      'पुल सोमवार को सभी वाहनों के लिए बंद कर दिया गया।',
      'इंजीनियरों को मुख्य बीम में दरार मिली थी।',
      'गाड़ियाँ पुराने शहर के रास्ते से जाती हैं।',
      'मरम्मत में दो सप्ताह लगने की उम्मीद है।',
      'शहर जून में लागत की घोषणा करेगा।',
    ],
    ' ',
  ],
  [
    'Russian',
    [
      'Мост закрыли в понедельник для всех машин.',
      'Инженеры нашли трещину в главной балке моста.',
      'Движение идёт через старый город и рынок.',
      'Ожидается, что ремонт продлится две недели.',
      'Город объявит о расходах в начале июня.',
    ],
    ' ',
  ],
  [
    'Greek',
    [
      'Η γέφυρα έκλεισε τη Δευτέρα για όλα τα οχήματα.',
      'Οι μηχανικοί βρήκαν μια ρωγμή στην κύρια δοκό.',
      'Τα αυτοκίνητα περνούν από την παλιά πόλη.',
      'Η επισκευή αναμένεται να διαρκέσει δύο εβδομάδες.',
      'Ο δήμος θα ανακοινώσει το κόστος τον Ιούνιο.',
    ],
    ' ',
  ],
];

function hostileScripts(length: number): readonly (readonly [name: string, text: string])[] {
  return ['漢', 'ก', 'ـ', '。', '。」', '।', 'क् ', '\u{1f1e9}', 'ส ', '漢。\n\n', 'ま。', '漢.'].map((piece) => [
    `only ${JSON.stringify(piece)}`,
    piece.repeat(length / piece.length).slice(0, length),
  ]);
}

describe(SummarizeTextSkill.name, () => {
  it('reports progress and gives one artifact with the subject of the text', async () => {
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
    ['white space', ' \n\n ', 'There is no text'],
    ['a huge text', 'a'.repeat(200_001), 'too long'],
  ])('rejects %s', async (_, text, reason) => {
    const last = (await runSkill(SummarizeTextSkill, text)).at(-1);
    expect(last).toMatchObject({ state: 'TASK_STATE_REJECTED' });
    expect(JSON.stringify(last?.parts)).toContain(reason);
  });

  it('gives a text for people and a value for programs, as the caller takes them', async () => {
    const of = async (...acceptedOutputModes: string[]) =>
      (await runSkill(SummarizeTextSkill, { text: 'It rains.', acceptedOutputModes })).at(-1)?.parts;
    const [text, data] = [{ text: 'It rains.' }, { data: { summary: 'It rains.' } }];
    expect(await of()).toEqual([text, data]);
    expect(await of('text/plain')).toEqual([text]);
    expect(await of('application/json')).toEqual([data]);
  });

  it.each([
    ['one sentence', 'A single sentence stands here alone.'],
    [
      'four sentences of three to seven words',
      'Dogs bark loudly. Cats sleep all day. The birds sing early in the morning. Fish swim.',
    ],
    ['a sentence without an end', 'the bridge is closed'],
    ['one word', 'Hello'],
    ['a list', '- milk\n- bread\n- two apples'],
    ['the Japanese text of seed 002 § 6.2', 'ADKシステムはAgentが効率的にタスクを委譲できるようにします...'],
  ])('takes %s for its own summary (S6)', async (_, text) => {
    const events = await runSkill(SummarizeTextSkill, text);
    expect(events.at(-1)).toMatchObject({ kind: 'artifact', parts: [{ text }, { data: { summary: text } }] });
  });

  it.each(SCRIPTS)('takes whole sentences of %s text, in their order (S6)', async (_, sentences, space) => {
    const text = sentences.join(space);
    const events = await runSkill(SummarizeTextSkill, { text, data: [{ sentences: 2 }] });
    expect(events.at(-1)).toMatchObject({ metadata: { sentences: 2, sentencesRead: sentences.length } });
    const kept = sentences.filter((sentence) => textOf(events).includes(sentence));
    expect(textOf(events)).toBe(kept.join(' '));
    expect(kept).toHaveLength(2);
  });

  it('summarizes other languages in Latin letters, whatever stops their abbreviations have', async () => {
    const events = await runSkill(SummarizeTextSkill, german);
    expect(events.at(-1)).toMatchObject({ metadata: { sentences: 2, sentencesRead: 4 } });
    expect(textOf(events)).toContain('Der Stadtrat');
  });

  it('cuts a long text that has no sentences', async () => {
    for (const text of ['word '.repeat(40_000), '漢'.repeat(50_000), '\u{1f600}'.repeat(20_000)]) {
      const summary = textOf(await runSkill(SummarizeTextSkill, { text, data: [{ length: 'short' }] }));
      expect(summary.length).toBeLessThanOrEqual(251);
      expect(summary).toMatch(/…$/);
      expect(() => encodeURIComponent(summary)).not.toThrow();
    }
  });

  it('asks for a text before a task is made (S6)', async () => {
    for (const sent of ['', { data: [{ length: 'short' }] }]) {
      await expect(runSkill(SummarizeTextSkill, sent)).rejects.toMatchObject({ kind: 'InvalidParams' });
    }
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
  it.each([...hostileTexts(50_000), ...hostileScripts(50_000)])('computes in short slices: %s', async (_, text) => {
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

  it('cuts words that are too long', async () => {
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
