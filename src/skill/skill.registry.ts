import type { FieldViolation } from '@parley/protocol/model/errors.js';
import { ContractedSkill } from '@parley/sdk/skill/contract/contracted-skill.js';
import { type InputCarrier, readInput } from '@parley/sdk/skill/contract/skill-input.js';
import type { Model } from '@parley/sdk/model/model.js';
import { NO_REQUESTS, type SkillRequests } from '@parley/sdk/skill/requests/skill-request.js';
import { NO_TOOLS, type ToolServers } from '@parley/sdk/skill/tools/skill-tool.js';
import type { SkillHandler, SkillOptions } from '@parley/sdk/skill/skill.js';
import type { Catalog } from '@parley/sdk/skill/start-check.js';

/** A skill with its handler. */
export interface RegisteredSkill {
  readonly options: SkillOptions;
  /** Checks its contract itself: `context.input` may be anything when it is called. */
  readonly handler: SkillHandler;
  /** Violations of a message beyond the contract: by the contract of an agent elsewhere. */
  readonly inputFaults?: (message: InputCarrier['message']) => readonly FieldViolation[];
  /** Its earlier versions. */
  readonly previous?: readonly RegisteredSkill[];
}

/** A skill of another service until its handler is provided, which happens before the first call. */
export function unprovided(options: SkillOptions): RegisteredSkill {
  const run = (): never => {
    throw new Error(`The skill ${options.id} has no handler`);
  };
  return { options, handler: { run } };
}

/** Sources of the skills besides their own code. */
interface RegistrySources extends Pick<Catalog, 'findTool'> {
  readonly requests?: SkillRequests | undefined;
  readonly inside?: readonly SkillOptions[];
  readonly model?: Model | undefined;
}

/** The skills of this service by id. Created by `SkillModule` once the catalog has been checked. */
export class SkillRegistry {
  /** The options of every skill, in the order of the catalog: for the card and the router. */
  readonly options: readonly SkillOptions[];
  private readonly byId: Map<string, RegisteredSkill>;
  private toolServers: ToolServers = NO_TOOLS;
  /** Skills that other skills may call, but callers may not. */
  private readonly inside: Map<string, RegisteredSkill>;
  /** Sends `context.fetch` of every skill. */
  readonly requests: SkillRequests;
  /** The language model of every skill; absent in tests of a module without one. */
  readonly model: Model | undefined;
  /** The skills as tools of a language model are made of them. */
  readonly catalog: Catalog;

  constructor(
    skills: readonly RegisteredSkill[],
    { requests = NO_REQUESTS, inside = [], model, findTool }: RegistrySources = {},
  ) {
    this.requests = requests;
    this.model = model;
    this.byId = new Map(skills.map((skill) => [skill.options.id, skill]));
    this.inside = new Map(inside.map((options) => [options.id, unprovided(options)]));
    this.options = [...this.byId.values()].map(({ options }) => options);
    const find = (id: string): SkillOptions | undefined => this.runnable(id)?.options;
    this.catalog = { skills: this.options, find, ...(findTool === undefined ? {} : { findTool }) };
  }

  /** The skill of that id; undefined when there is none (any more). */
  find(skillId: string): RegisteredSkill | undefined {
    return this.byId.get(skillId);
  }

  /** A runnable skill: one of the catalog, or one for other skills only. */
  runnable(skillId: string): RegisteredSkill | undefined {
    return this.byId.get(skillId) ?? this.inside.get(skillId);
  }

  /** The version of a skill that a task began with; the present one if that is gone. */
  runnableAs(skillId: string, version: number): RegisteredSkill | undefined {
    const skill = this.runnable(skillId);
    return skill?.previous?.find(({ options }) => (options.version ?? 0) === version) ?? skill;
  }

  /** Sets the handler of a skill of another service, which is constructed after the catalog. */
  provideHandler(skillId: string, handler: SkillHandler, inputFaults?: RegisteredSkill['inputFaults']): void {
    const skills = this.byId.has(skillId) ? this.byId : this.inside;
    const skill = skills.get(skillId);
    if (skill === undefined) throw new Error(`There is no skill ${skillId}`);
    const judged = inputFaults === undefined ? {} : { inputFaults };
    skills.set(skillId, { ...skill, handler: new ContractedSkill(skill.options, handler), ...judged });
  }

  /** The port through which skills call tools. */
  get tools(): ToolServers {
    return this.toolServers;
  }

  /** Sets the port to tools; before that there are none. */
  provideTools(servers: ToolServers): void {
    this.toolServers = servers;
  }

  /** Violations of the skill's `input` class in a request that creates a task; empty if it is valid. */
  async inputViolations(skillId: string, request: InputCarrier): Promise<readonly FieldViolation[]> {
    const skill = this.runnable(skillId);
    const read = skill && (await readInput(skill.options, request));
    return read?.kind === 'violations' ? read.violations : (skill?.inputFaults?.(request.message) ?? []);
  }
}
