import { skillSchemaOf } from '../skill/contract/skill-schema.js';
import { type SkillClass, type SkillOptions, skillOptionsOf } from '../skill/skill.js';
import { skillTool, type SkillToolOptions, type Tool } from './tool.js';

/** The skills of a service, as far as tools are made of them. */
export interface ToolCatalog {
  readonly options: readonly SkillOptions[];
  readonly runnable: (id: string) => { readonly options: SkillOptions } | undefined;
}

/** The skills of this service as tools, for a skill that finds the right one; inject it by its class. */
export class ModelTools {
  /** @param catalog read at each use: it is made of the skills, one of which asks for this */
  constructor(private readonly catalog: () => ToolCatalog) {}

  /** For tests: these skills in place of those of a service. */
  static of(...skills: readonly SkillClass[]): ModelTools {
    const options = skills.flatMap((skill) => skillOptionsOf(skill) ?? []);
    const found = new Map(options.map((one) => [one.id, { options: one }]));
    return new ModelTools(() => ({ options, runnable: (id) => found.get(id) }));
  }

  /** The tools of all skills that can be called, but for these. */
  except(...ids: readonly string[]): readonly Tool[] {
    return toolsOf(this.others(ids));
  }

  /** The same, but that they hand the conversation over, where its effects need no approval. */
  transfersExcept(...ids: readonly string[]): readonly Tool[] {
    return toolsOf(this.others(ids), true);
  }

  /** Source of a tool of this skill. @throws Error where there is none */
  find(id: string): SkillToolOptions {
    const skill = this.catalog().runnable(id);
    if (skill === undefined) throw new Error(`There is no skill "${id}"`);
    return toolOptionsOf(skill.options);
  }

  private others(ids: readonly string[]): readonly SkillOptions[] {
    return this.catalog().options.filter(({ id }) => !ids.includes(id));
  }
}

/** Skills as tools. A direct skill has no task, so it cannot be called. */
export function toolsOf(skills: readonly SkillOptions[], transfer = false): readonly Tool[] {
  return skills
    .filter(({ direct }) => direct !== true)
    .map(toolOptionsOf)
    .map((options) => skillTool({ ...options, transfer: transfer && options.approval === undefined }));
}

/** Describes a skill to the model by its card. A skill without an undo needs an approval. */
function toolOptionsOf(skill: SkillOptions): SkillToolOptions {
  const { id, description, examples = [], tags, effects } = skill;
  const { input } = skillSchemaOf(skill);
  return {
    ...{ id, description, examples: [...examples, ...tags] },
    ...(input === undefined ? {} : { parameters: input }),
    ...(effects === 'irreversible' ? { approval: true } : {}),
  };
}
