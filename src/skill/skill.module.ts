import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { readCatalogFolder } from './catalog-folder.js';
import { CATALOG } from './catalog/index.js';
import { ContractedSkill } from './contract/contracted-skill.js';
import { assertListed, catalogOptions } from './skill-catalog.js';
import { SkillRegistry } from './skill.registry.js';
import type { SkillHandler } from './skill.js';

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
  assertListed(CATALOG, await readCatalogFolder());
  return registryOf(CATALOG, handlers);
}

function registryOf(skills: readonly Type<SkillHandler>[], handlers: readonly SkillHandler[]): SkillRegistry {
  const options = catalogOptions(skills);
  return new SkillRegistry(
    handlers.flatMap((handler, index) => {
      const own = options[index];
      return own === undefined ? [] : [{ options: own, handler: new ContractedSkill(own, handler) }];
    }),
  );
}
