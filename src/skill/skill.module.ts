import { type DynamicModule, Global, Logger, Module, type Provider, type Type } from '@nestjs/common';
import { descriptionWarnings } from './alike-descriptions.js';
import { ContractedSkill } from '@parley/sdk/skill/contract/contracted-skill.js';
import { Model } from '@parley/sdk/model/model.js';
import type { SkillPack } from './pack/skill-pack.js';
import { CatalogError, catalogOptions, NO_OTHER_SKILLS, type OtherSkills, withShown } from './skill-catalog.js';
import { SkillRequests } from '@parley/sdk/skill/requests/skill-request.js';
import { type RegisteredSkill, SkillRegistry, unprovided } from './skill.registry.js';
import { SandboxedSkill, type SkillSource } from './sandbox/sandboxed-skill.js';
import { type Catalog, catalogOf, startFaults } from '@parley/sdk/skill/start-check.js';
import { type SkillClass, type SkillHandler, type SkillOptions, skillOptionsOf } from '@parley/sdk/skill/skill.js';

const LOG = new Logger('SkillModule');

/** Provided by the service; tests of a module need none. */
const REQUESTS = { token: SkillRequests, optional: true };
const MODEL = { token: Model, optional: true };

/** The environment of skills. */
export interface SkillSurroundings {
  /** Modules whose exports can be injected into the skills. */
  readonly imports?: DynamicModule['imports'];
  readonly providers?: readonly Provider[];
  /** The file of a skill that may run in a sandbox; without one it runs in this process, as in a test. */
  readonly sourceOf?: (skill: SkillClass) => SkillSource | undefined;
  /** Tools and agents of other services. */
  readonly others?: OtherSkills;
}

/**
 * Owns the registered skills. It knows nothing of tasks, queues or the wire.
 *
 * Global because its providers are the classes named by SKILLS at the start: only the root can create this module,
 * once.
 */
@Global()
@Module({})
export class SkillModule {
  /** With the skills of these packs. */
  static forPacks(packs: readonly SkillPack[], others: OtherSkills = NO_OTHER_SKILLS): DynamicModule {
    const packed = packs.flatMap(({ skills }) => skills);
    const sources = new Map<unknown, SkillSource>(packed.map(({ skill, source }) => [skill, source]));
    return SkillModule.forSkills(
      packed.map(({ skill }) => skill),
      {
        imports: packs.flatMap(({ modules }) => modules),
        providers: packs.flatMap(({ providers }) => providers),
        sourceOf: (skill) => sources.get(skill),
        others,
      },
    );
  }

  /** With exactly these skills. The start fails with `CatalogError` when they cannot be offered together. */
  static forSkills(
    skills: readonly Type<SkillHandler>[],
    { imports = [], providers = [], sourceOf = () => undefined, others = NO_OTHER_SKILLS }: SkillSurroundings = {},
  ): DynamicModule {
    const options = catalogOptions(skills);
    const shown = withShown(options, others);
    const earlier = previousOf(options);
    const classes = [...skills, ...earlier];
    const own = [...options, ...catalogOptionsOf(earlier)].flatMap((each) => each.providers ?? []);
    const registry = (
      requests: SkillRequests | undefined,
      model: Model | undefined,
      ...handlers: SkillHandler[]
    ): SkillRegistry => {
      const { findTool } = others;
      const found = findTool === undefined ? {} : { findTool };
      assertStartable(classes, handlers, { ...catalogOf([...shown, ...others.inside]), ...found, roles: model?.roles });
      assertToolsListed(shown, others);
      for (const reason of descriptionWarnings(shown)) LOG.warn({ event: 'skill.hard-to-choose', reason });
      const made = new Map<SkillClass, SkillHandler>();
      for (const [index, handler] of handlers.entries()) {
        const skill = classes[index];
        if (skill !== undefined) made.set(skill, handler);
      }
      const offered = [...registeredOf(skills, made, sourceOf), ...others.shown.map(unprovided)];
      return new SkillRegistry(offered, { requests, model, inside: others.inside, ...found });
    };
    return {
      module: SkillModule,
      imports,
      providers: [
        ...providers,
        ...own,
        ...classes,
        { provide: SkillRegistry, useFactory: registry, inject: [REQUESTS, MODEL, ...classes] },
      ],
      exports: [SkillRegistry],
    };
  }
}

function catalogOptionsOf(classes: readonly SkillClass[]): readonly SkillOptions[] {
  return classes.flatMap((each) => skillOptionsOf(each) ?? []);
}

/** The classes of earlier versions of skills. */
function previousOf(options: readonly SkillOptions[]): readonly SkillClass[] {
  return [...new Set(options.flatMap(({ previous = [] }) => previous))];
}

/** Skills as they run here, each with its earlier versions. */
function registeredOf(
  skills: readonly SkillClass[],
  made: ReadonlyMap<SkillClass, SkillHandler>,
  sourceOf: (skill: SkillClass) => SkillSource | undefined,
): readonly RegisteredSkill[] {
  return skills.flatMap((skill) => {
    const [options, handler] = [skillOptionsOf(skill), made.get(skill)];
    if (options === undefined || handler === undefined) return [];
    const source = options.sandboxed === true ? sourceOf(skill) : undefined;
    // In a sandbox the contract is checked there: messages across the process border have no classes.
    const runs = source === undefined ? new ContractedSkill(options, handler) : new SandboxedSkill(source);
    const { previous = [] } = options;
    const earlier = previous.length === 0 ? {} : { previous: registeredOf(previous, made, sourceOf) };
    return [{ options, handler: runs, ...earlier }];
  });
}

/** @throws CatalogError with a line for each fault that a skill finds in the catalog */
function assertStartable(skills: readonly SkillClass[], handlers: readonly SkillHandler[], catalog: Catalog): void {
  const faults = skills.flatMap((skill, index) => {
    const handler = handlers[index];
    const found = handler === undefined ? [] : startFaults(skill, handler, catalog);
    return found.map(
      (fault) => `The agent "${skillOptionsOf(skill)?.id ?? ''}" (${skill.name}) cannot be offered: ${fault}.`,
    );
  });
  if (faults.length > 0) throw new CatalogError(faults.join('\n'));
}

/** @throws CatalogError with a line for each declared tool that MCP_SERVERS_FILE does not list */
function assertToolsListed(skills: readonly SkillOptions[], { findTool }: OtherSkills): void {
  if (findTool === undefined) return;
  const faults = skills.flatMap(({ id, tools = {} }) =>
    Object.entries(tools).flatMap(([server, names]) =>
      names
        .filter((tool) => findTool(server, tool) === undefined)
        .map((tool) => `MCP_SERVERS_FILE: the skill "${id}" calls the tool ${tool} of ${server}, which is not listed`),
    ),
  );
  if (faults.length > 0) throw new CatalogError(faults.join('\n'));
}
