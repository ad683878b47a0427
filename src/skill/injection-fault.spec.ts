import { describe, expect, it } from '@jest/globals';
import { Test } from '@nestjs/testing';
import type { SkillEvent } from '@parley/sdk/skill/events.js';
import { injectionFault } from './injection-fault.js';
import { SkillModule } from './skill.module.js';
import { Skill, type SkillHandler } from '@parley/sdk/skill/skill.js';

const ABOUT = { id: 'rates', name: 'Rates', description: 'For tests', tags: [] };

class RatesClient {
  readonly rate = 1;
}

interface Rates {
  readonly rate: number;
}

@Skill(ABOUT)
class NeedsClass implements SkillHandler {
  constructor(readonly rates: RatesClient) {}

  async *run(): AsyncGenerator<SkillEvent, void, void> {
    // It is never run.
  }
}

@Skill(ABOUT)
class NeedsInterface implements SkillHandler {
  constructor(readonly rates: Rates) {}

  async *run(): AsyncGenerator<SkillEvent, void, void> {
    // It is never run.
  }
}

const faultOf = (skill: typeof NeedsClass | typeof NeedsInterface): Promise<string | undefined> =>
  Test.createTestingModule({ imports: [SkillModule.forSkills([skill])] })
    .compile()
    .then(() => undefined, injectionFault);

describe(injectionFault.name, () => {
  it('names the class without a provider, and both ways to provide it', async () => {
    expect(await faultOf(NeedsClass)).toBe(
      'NeedsClass needs RatesClient (parameter 1 of its constructor), and nothing provides it. ' +
        'Name it in @Skill({ providers: [RatesClient] }), or export it with @Injectable() beside the skill.',
    );
  });

  it('reports that an interface cannot be injected', async () => {
    expect(await faultOf(NeedsInterface)).toMatch(/^parameter 1 of the constructor of NeedsInterface has no class/);
  });

  it('ignores other errors', () => {
    expect(injectionFault(new Error('other'))).toBeUndefined();
  });
});
