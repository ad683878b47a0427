import type { SkillOptions } from '@parley/sdk/skill/skill.js';

/** Characters of a description that a model can be expected to read when it chooses a skill. */
const MAX_DESCRIBED = 1_000;
/** Share of common words from which two descriptions are indistinguishable. */
const MAX_SHARED = 0.8;

type Described = Pick<SkillOptions, 'id' | 'description'>;

/** Texts in a card that make it hard to choose a skill (O-21): a sentence per skill or pair. */
export function descriptionWarnings(skills: readonly Described[]): readonly string[] {
  const known = skills.map((skill) => ({ ...skill, words: wordsOf(skill.description) }));
  return known.flatMap((skill, at) => [
    ...ownWarnings(skill),
    ...known
      .slice(at + 1)
      .flatMap((other) =>
        areAlike(skill.words, other.words)
          ? [`the descriptions of "${skill.id}" and "${other.id}" are too much alike`]
          : [],
      ),
  ]);
}

function ownWarnings({ id, description }: Described): readonly string[] {
  if (description.trim() === '') return [`"${id}" has no description`];
  if (description.length <= MAX_DESCRIBED) return [];
  return [`the description of "${id}" has more than ${String(MAX_DESCRIBED)} characters`];
}

function areAlike(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const shared = [...one].filter((word) => other.has(word)).length;
  return shared > 0 && shared / (one.size + other.size - shared) >= MAX_SHARED;
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}
