import { Inject, Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { skillSchemaOf } from '../skill/contract/skill-schema.js';
import { type SkillClass, type SkillOptions, skillOptionsOf } from '../skill/skill.js';
import { SkillRegistry } from '../skill/skill.registry.js';
import { skillTool, type SkillToolOptions, type Tool } from './tool.js';

/** The skills of a service, as far as tools are made of them. */
interface Catalog {
  readonly options: readonly SkillOptions[];
  readonly runnable: (id: string) => { readonly options: SkillOptions } | undefined;
}

/** Finds the registry: it cannot be injected, since it is made of the skills, one of which asks for this. */
interface CatalogFinder {
  get(token: typeof SkillRegistry, options: { readonly strict: false }): Catalog;
}

/** The skills of this service as tools, for a skill that finds the right one; inject it by its class. */
@Injectable()
export class SkillTools {
  constructor(@Inject(ModuleRef) private readonly modules: CatalogFinder) {}

  /** For tests: these skills in place of those of a service. */
  static of(...skills: readonly SkillClass[]): SkillTools {
    const options = skills.flatMap((skill) => skillOptionsOf(skill) ?? []);
    const found = new Map(options.map((one) => [one.id, { options: one }]));
    return new SkillTools({ get: () => ({ options, runnable: (id) => found.get(id) }) });
  }

  /** The tools of all skills that can be called, but for these. */
  except(...ids: readonly string[]): readonly Tool[] {
    return toolsOf(this.others(ids));
  }

  /** The same, but that they hand the conversation over, where its effects need no approval. */
  transfersExcept(...ids: readonly string[]): readonly Tool[] {
    return toolsOf(this.others(ids), true);
  }

  /** What a tool of this skill is made of. @throws Error where there is none */
  find(id: string): SkillToolOptions {
    const skill = this.catalog.runnable(id);
    if (skill === undefined) throw new Error(`There is no skill "${id}"`);
    return toolOptionsOf(skill.options);
  }

  private others(ids: readonly string[]): readonly SkillOptions[] {
    return this.catalog.options.filter(({ id }) => !ids.includes(id));
  }

  private get catalog(): Catalog {
    return this.modules.get(SkillRegistry, { strict: false });
  }
}

/** Skills as tools. A direct skill has no task, so it cannot be called. */
export function toolsOf(skills: readonly SkillOptions[], transfer = false): readonly Tool[] {
  return skills
    .filter(({ direct }) => direct !== true)
    .map(toolOptionsOf)
    .map((options) => skillTool({ ...options, transfer: transfer && options.approval === undefined }));
}

/** What the model reads of a skill is what its card says. What cannot be taken back needs an approval. */
function toolOptionsOf(skill: SkillOptions): SkillToolOptions {
  const { id, description, examples = [], tags, effects } = skill;
  const { input } = skillSchemaOf(skill);
  return {
    ...{ id, description, examples: [...examples, ...tags] },
    ...(input === undefined ? {} : { parameters: input }),
    ...(effects === 'irreversible' ? { approval: true } : {}),
  };
}
