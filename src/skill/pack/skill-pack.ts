import type { Provider, Type } from '@nestjs/common';
import type { SkillSource } from '../sandbox/sandboxed-skill.js';
import { type DtoClass, type SkillHandler, skillOptionsOf } from '@parley/sdk/skill/skill.js';
import { isSkillSettings } from '@parley/sdk/skill/settings/skill-settings.js';

/** A skill and its file, from which a sandbox loads it again. */
export interface PackedSkill {
  readonly skill: Type<SkillHandler>;
  readonly source: SkillSource;
}

/** The content of a folder or package of skills. */
export interface SkillPack {
  /** Its name in SKILLS. */
  readonly name: string;
  /** Version of its package file, or of the package that the folder belongs to. */
  readonly version?: string;
  readonly skills: readonly PackedSkill[];
  /** Its `@Module()` classes: their exports can be injected into its skills. */
  readonly modules: readonly Type[];
  /** Its exported `@Injectable()` classes that are not skills. */
  readonly providers: readonly Provider[];
  /** Its classes of variables. */
  readonly settings: readonly DtoClass[];
}

/** A file of a pack and its exports. */
export interface PackFile {
  readonly url: URL;
  readonly exports: Readonly<Record<string, unknown>>;
}

/** Sorts the exports of a pack's files; a class exported repeatedly counts once. */
export function packOf(name: string, files: readonly PackFile[], version?: string): SkillPack {
  const found = new Map<Type, SkillSource>();
  for (const { url, exports } of files) {
    for (const [exportName, value] of Object.entries(exports)) {
      if (isClass(value) && !found.has(value)) found.set(value, { module: url, exportName });
    }
  }
  const classes = [...found.keys()];
  return {
    name,
    ...(version === undefined ? {} : { version }),
    skills: [...found].flatMap(([skill, source]) => (isSkill(skill) ? [{ skill, source }] : [])),
    modules: classes.filter(isModule),
    providers: classes.filter((each) => Reflect.hasMetadata(INJECTABLE, each) && !isSkill(each)),
    settings: classes.filter(isSkillSettings),
  };
}

/** Nest's own marks of `@Injectable()` and `@Module()`; it has no public check for them. */
const INJECTABLE = '__injectable__';
const MODULE = ['imports', 'providers', 'exports'];

function isModule(type: Type): boolean {
  return MODULE.some((key) => Reflect.hasMetadata(key, type));
}

function isSkill(type: Type): type is Type<SkillHandler> {
  return skillOptionsOf(type as Type<SkillHandler>) !== undefined;
}

function isClass(value: unknown): value is Type {
  return typeof value === 'function' && value.prototype !== undefined;
}
