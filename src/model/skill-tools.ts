import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { skillSchemaOf } from '../skill/contract/skill-schema.js';
import type { SkillOptions } from '../skill/skill.js';
import { SkillRegistry } from '../skill/skill.registry.js';
import { skillTool, type Tool } from './tool.js';

/** The skills of this service as tools, for a skill that finds the right one; inject it by its class. */
@Injectable()
export class SkillTools {
  constructor(private readonly modules: ModuleRef) {}

  /** The tools of all skills that can be called, but for these. */
  except(...ids: readonly string[]): readonly Tool[] {
    // Not injected: the registry is made of the skills, and one of them asks for this.
    const { options } = this.modules.get(SkillRegistry, { strict: false });
    return toolsOf(options.filter(({ id }) => !ids.includes(id)));
  }
}

/** Skills as tools. A direct skill has no task, so it cannot be called. What cannot be taken back needs an approval. */
export function toolsOf(skills: readonly SkillOptions[]): readonly Tool[] {
  return skills
    .filter(({ direct }) => direct !== true)
    .map((skill) => {
      const { id, description, examples = [], tags, effects } = skill;
      const { input } = skillSchemaOf(skill);
      return skillTool({
        ...{ id, description, examples: [...examples, ...tags] },
        ...(input === undefined ? {} : { parameters: input }),
        ...(effects === 'irreversible' ? { approval: true } : {}),
      });
    });
}
