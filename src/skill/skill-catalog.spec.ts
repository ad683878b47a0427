import { describe, expect, it } from '@jest/globals';
import type { SkillEvent } from '@parley/sdk/skill/events.js';
import { catalogOptions } from './skill-catalog.js';
import { Skill, type SkillHandler } from '@parley/sdk/skill/skill.js';

class Bare implements SkillHandler {
  async *run(): AsyncGenerator<SkillEvent, void, void> {
    yield* [];
  }
}
const entry = { name: 'A', description: 'A', tags: [] };

@Skill({ id: 'one', ...entry })
class One extends Bare {}

@Skill({ id: 'one', ...entry })
class OneAgain extends Bare {}

@Skill({ id: 'Not an id', ...entry })
class BadId extends Bare {}

@Skill({ id: 'dependent', ...entry, sandboxed: true })
class Dependent extends Bare {
  constructor(readonly clock: Date) {
    super();
  }
}

describe(catalogOptions.name, () => {
  it('gives the options in the order of the classes', () => {
    expect(catalogOptions([One]).map(({ id }) => id)).toEqual(['one']);
  });

  it('refuses a class without @Skill by its name', () => {
    expect(() => catalogOptions([One, Bare])).toThrow('Bare has no @Skill');
  });

  it('refuses an id of two skills and names both', () => {
    expect(() => catalogOptions([One, OneAgain])).toThrow('The skill id "one" of OneAgain is also that of One.');
    expect(() => catalogOptions([One, One])).toThrow('that of itself, a second time');
  });

  it('refuses a bad id', () => {
    expect(() => catalogOptions([BadId])).toThrow('its id must be a lower case letter');
  });
});

describe(catalogOptions.name, () => {
  it.each([
    [{ timeoutMs: 0 }, 'timeoutMs must be a whole number above 0'],
    [{ maxAttempts: 1.5 }, 'maxAttempts must be a whole number above 0'],
    [{ direct: true, sandboxed: true }, 'cannot be both direct and sandboxed'],
    [{ input: Date }, 'Date has no class-validator decorators'],
  ])('refuses %j', (options, reason) => {
    class Wrong extends Bare {}
    Skill({ id: 'wrong', ...entry, ...options })(Wrong);
    expect(() => catalogOptions([Wrong])).toThrow(`The skill "wrong" (Wrong) cannot be offered: `);
    expect(() => catalogOptions([Wrong])).toThrow(reason);
  });
});

describe(catalogOptions.name, () => {
  it('refuses a sandboxed skill with constructor parameters, which cannot be injected', () => {
    expect(() => catalogOptions([Dependent])).toThrow('a sandboxed skill can have no constructor parameters');
  });

  it.each([
    ['another id', { id: 'other' }, 'its previous version Before has the id "other"'],
    ['the number of the present one', { id: 'same', version: 1 }, 'needs one of its own below 1'],
    ['a later number', { id: 'same', version: 2 }, 'needs one of its own below 1'],
  ])('refuses a previous version with %s', (_, options, text) => {
    @Skill({ ...entry, ...options })
    class Before extends Bare {}
    @Skill({ ...entry, id: 'same', version: 1, previous: [Before] })
    class Now extends Bare {}
    expect(() => catalogOptions([Now])).toThrow(text);
  });
});
