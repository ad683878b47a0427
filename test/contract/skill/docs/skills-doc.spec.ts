import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { directReply } from '../../../../src/skill/direct-reply.js';
import { streamSkill } from '@parley/sdk/testing/run-skill.js';
import { TimeOfDaySkill } from './time-of-day.skill.js';

const FOLDER = new URL('./', import.meta.url);
const DOCS = new URL('../../../../docs/', import.meta.url);
const TEMPLATE = new URL('../../../../template/skills/', import.meta.url);
const guides = readdirSync(new URL('skills/', DOCS)).map((name) => `skills/${name}`);
const docs = ['skills.md', ...guides, 'models.md', 'from-a2a-js.md'].map((name) =>
  readFileSync(new URL(name, DOCS), 'utf8'),
);

/** The examples as in an author's folder: titles cite no requirement. */
const examples = [FOLDER, TEMPLATE]
  .flatMap((folder) => readdirSync(folder).map((name) => new URL(name, folder)))
  .filter(({ pathname }) => /\.(skill|agent)\./.test(pathname))
  .map((file) => readFileSync(file, 'utf8'))
  .map((text) => text.replaceAll(/ \([A-Z]+-\d+\)(?=')/g, ''));

const blocks = docs.flatMap((doc) => [...doc.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code));

describe('the guides for authors of skills', () => {
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
