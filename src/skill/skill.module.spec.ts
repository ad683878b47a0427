import { describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { artifact, type SkillEvent } from '@parley/sdk/skill/events.js';
import { loadPacks } from './pack/load-packs.js';
import { SkillModule } from './skill.module.js';
import { SkillRegistry } from './skill.registry.js';
import { Skill, type SkillHandler } from '@parley/sdk/skill/skill.js';
import { aContext } from '@parley/sdk/testing/run-skill.js';

class Clock {
  readonly now = '12:00';
}

@Skill({ id: 'time', name: 'Time', description: 'Tells the time', tags: [] })
class TimeSkill implements SkillHandler {
  constructor(readonly clock: Clock) {}

  async *run(): AsyncGenerator<SkillEvent, void, void> {
    yield artifact('time', this.clock.now);
  }
}

@Module({ providers: [Clock], exports: [Clock] })
class ClockModule {}

describe(SkillModule.name, () => {
  it('constructs skills with their dependencies', async () => {
    const module = await Test.createTestingModule({
      imports: [SkillModule.forSkills([TimeSkill], { imports: [ClockModule] })],
    }).compile();
    const handler = module.get(SkillRegistry).find('time')?.handler;
    const events = handler?.run(aContext({ text: 'What time is it?' }));
    expect((await events?.next())?.value).toMatchObject({ artifactId: 'time', parts: [{ text: '12:00' }] });
  });

  it('gives skills the providers named by them and their pack', async () => {
    @Skill({ id: 'told', name: 'Told', description: 'Tells', tags: [], providers: [Clock] })
    class ToldSkill extends TimeSkill {}
    const module = await Test.createTestingModule({ imports: [SkillModule.forSkills([ToldSkill])] }).compile();
    expect(module.get(SkillRegistry).find('told')).toBeDefined();
  });

  it('starts with the packs included in the service', async () => {
    const packs = await loadPacks(['echo', 'countdown']);
    const module = await Test.createTestingModule({ imports: [SkillModule.forPacks(packs)] }).compile();
    const registry = module.get(SkillRegistry);
    expect(registry.options.map(({ id }) => id)).toEqual(expect.arrayContaining(['echo', 'countdown']));
    expect(registry.find('nope')).toBeUndefined();
    const agents = SkillModule.forPacks(await loadPacks(['summarize']));
    await expect(Test.createTestingModule({ imports: [agents] }).compile()).resolves.toBeDefined();
  });
});
