import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { directReply } from '../../../../src/skill/direct-reply.js';
import { streamSkill } from '../../../../src/skill/testing/run-skill.js';
import { TimeOfDaySkill } from './time-of-day.skill.js';

const FOLDER = new URL('./', import.meta.url);
const docs = ['skills.md', 'models.md', 'from-a2a-js.md'].map((name) =>
  readFileSync(new URL(`../../../../docs/${name}`, import.meta.url), 'utf8'),
);

/** The examples as in an author's folder: titles cite no requirement. */
const examples = readdirSync(FOLDER)
  .filter((name) => /\.(skill|agent)\./.test(name))
  .map((name) => readFileSync(new URL(name, FOLDER), 'utf8'))
  .map((text) => text.replaceAll(/ \([A-Z]+-\d+\)(?=')/g, ''));

const blocks = docs.flatMap((doc) => [...doc.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code));

describe('docs/skills.md, docs/models.md and docs/from-a2a-js.md', () => {
  it('shows code', () => {
    expect(blocks.length).toBeGreaterThan(3);
  });

  it.each(blocks)('shows only code that is compiled and tested here: %j', (block) => {
    expect(examples.filter((text) => text.includes(block))).toHaveLength(1);
  });
});

describe(TimeOfDaySkill.name, () => {
  it('answers with one text', async () => {
    const { parts } = await directReply(streamSkill(TimeOfDaySkill));
    expect(parts).toEqual([{ text: expect.stringMatching(/^\d{4}-.*Z$/) }]);
  });
});
