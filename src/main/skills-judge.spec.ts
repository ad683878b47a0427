import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { Agent, FlowAgent } from '@parley/sdk/agent/agent.js';
import { call } from '@parley/sdk/agent/flow/call-step.js';
import { from } from '@parley/sdk/agent/source.js';
import type { LoadedSkills } from './app.skills.js';
import { loadConfig } from './app.environment.js';
import { remote } from '@parley/sdk/skill/calls/remote.js';
import { artifact, type SkillEvent } from '@parley/sdk/skill/events.js';
import { Skill, type SkillClass, type SkillHandler } from '@parley/sdk/skill/skill.js';
import { skillFaults } from './skills-judge.js';

const about = (id: string) => ({ id, name: id, description: `About ${id}`, tags: ['test'] });

abstract class Answering implements SkillHandler {
  async *run(): AsyncGenerator<SkillEvent, void, void> {
    yield artifact('answer', 'x');
  }
}

@Skill(about('fine'))
class FineSkill extends Answering {}

@Agent(about('lost'))
class LostAgent extends FlowAgent {
  readonly flow = call('b');
}

@Agent(about('wrong_field'))
class WrongFieldAgent extends FlowAgent {
  readonly flow = call('fine', { input: from.state('nothing') });
}

@Agent(about('abroad'))
class AbroadAgent extends FlowAgent {
  readonly flow = call(remote('legal'));
}

@Skill({ ...about('visa'), tools: { visa: ['rules'] } })
class VisaSkill extends Answering {}

@Injectable()
class Unprovided {}

@Skill(about('needy'))
class NeedySkill extends Answering {
  constructor(readonly needed: Unprovided) {
    super();
  }
}

@Skill(about('licensed'))
class LicensedSkill extends Answering {
  constructor() {
    super();
    throw new Error('no license key');
  }
}

function packOf(...skills: readonly SkillClass[]): LoadedSkills {
  const pack = { name: 'test', skills: skills.map((skill) => ({ skill })), modules: [], providers: [], settings: [] };
  return { packs: [pack] as unknown as LoadedSkills['packs'], settings: new Map() };
}

describe(skillFaults.name, () => {
  it.each([
    ['a call of a skill that is not there', LostAgent, 'there is no skill "b"'],
    ['a value that no step writes', WrongFieldAgent, '"nothing"'],
    ['an agent that AGENTS_FILE does not have', AbroadAgent, 'there is no skill "remote:legal"'],
    ['a tool that MCP_SERVERS_FILE does not list', VisaSkill, 'calls the tool rules of visa, which is not listed'],
    ['a class that nothing provides', NeedySkill, 'NeedySkill needs Unprovided'],
    ['a constructor that throws', LicensedSkill, 'LicensedSkill cannot be made: no license key ('],
  ])('finds %s, as the start does (S1)', async (_what, skill, text) => {
    expect((await skillFaults(loadConfig({}), packOf(FineSkill, skill))).join('\n')).toContain(text);
  });

  it('passes a flow that calls an agent of AGENTS_FILE (S1, A-1)', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-judge-'));
    try {
      const file = join(folder, 'agents.json');
      writeFileSync(file, JSON.stringify({ legal: { card: 'https://legal.example' } }));
      expect(await skillFaults(loadConfig({ AGENTS_FILE: file, DATA_DIR: folder }), packOf(AbroadAgent))).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
