import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { readCatalogFolder, sourceOf } from './catalog-folder.js';
import { CATALOG } from './catalog/index.js';
import { ContractedSkill } from './contract/contracted-skill.js';
import { assertListed, catalogOptions } from './skill-catalog.js';
import { SkillRegistry } from './skill.registry.js';
import { SandboxedSkill, type SkillSource } from './sandbox/sandboxed-skill.js';
import type { SkillClass, SkillHandler, SkillOptions } from './skill.js';

/** Owns the registered skills. It knows nothing of tasks, queues or the wire. */
@Module({})
export class SkillModule {
  /** With the skills of the catalog folder; the start fails with `CatalogError` when folder and manifest differ. */
  static forCatalog(): DynamicModule {
    return {
      ...SkillModule.forSkills(CATALOG),
      providers: [...CATALOG, { provide: SkillRegistry, useFactory: checkedRegistry, inject: [...CATALOG] }],
    };
  }

  /** With exactly these skills, for tests and other hosts. Their dependencies come from `imports`. */
  static forSkills(skills: readonly Type<SkillHandler>[], imports: DynamicModule['imports'] = []): DynamicModule {
    return {
      module: SkillModule,
      global: true,
      imports,
      providers: [
        ...skills,
        {
          provide: SkillRegistry,
          useFactory: (...handlers: SkillHandler[]) => registryOf(skills, handlers),
          inject: [...skills],
        },
      ],
      exports: [SkillRegistry],
    };
  }
}

async function checkedRegistry(...handlers: SkillHandler[]): Promise<SkillRegistry> {
  const files = await readCatalogFolder();
  assertListed(CATALOG, files);
  return registryOf(CATALOG, handlers, (skill) => sourceOf(skill, files));
}

type FindSource = (skill: SkillClass) => SkillSource | undefined;

/** A sandboxed skill whose file is not known runs in this process, as in a test. */
function registryOf(
  skills: readonly Type<SkillHandler>[],
  handlers: readonly SkillHandler[],
  find: FindSource = () => undefined,
): SkillRegistry {
  const options = catalogOptions(skills);
  return new SkillRegistry(
    skills.flatMap((skill, index) => {
      const [own, handler] = [options[index], handlers[index]];
      if (own === undefined || handler === undefined) {
        return [];
      }
      const source = own.sandboxed === true ? find(skill) : undefined;
      // In a sandbox the contract is checked there: what crosses the border has no classes.
      const runs = source === undefined ? contracted(own, handler) : new SandboxedSkill(source);
      return [{ options: own, handler: runs }];
    }),
  );
}

/** A skill that promises nothing has nothing to check: its events go straight to the run. */
function contracted(options: SkillOptions, handler: SkillHandler): SkillHandler {
  return options.input === undefined && options.output === undefined ? handler : new ContractedSkill(options, handler);
}
