import { membersOf } from './contract/json-schema.js';
import { skillOptionsOf, type SkillClass, type SkillOptions } from './skill.js';

const MANIFEST = 'src/skill/catalog/index.ts';
const ID = /^[a-z][a-z0-9_-]{0,63}$/;

/** The catalog is invalid; the message has the line to add or to remove. The service must not start. */
export class CatalogError extends Error {
  override readonly name = 'CatalogError';
}

/**
 * The options of every listed class, in the order of the manifest.
 * Throws `CatalogError` for a class without `@Skill`, a bad id, or an id that is listed twice.
 */
export function catalogOptions(classes: readonly SkillClass[]): readonly SkillOptions[] {
  const byId = new Map<string, SkillClass>();
  return classes.map((listed) => {
    const options = optionsOf(listed);
    const first = byId.get(options.id);
    if (first !== undefined) {
      const other = first === listed ? 'itself, a second time' : first.name;
      throw new CatalogError(
        `The skill id "${options.id}" of ${listed.name} is also listed by ${other}. ` +
          `Remove one of the lines "${listed.name}," or "${first.name}," from ${MANIFEST}, or give one another id.`,
      );
    }
    byId.set(options.id, listed);
    return options;
  });
}

/** A file of the catalog folder and what it exports. */
export interface CatalogFile {
  /** Relative to the catalog folder, without extension: `echo.skill`, `invoice/extract.skill`. */
  readonly path: string;
  readonly exports: Readonly<Record<string, unknown>>;
}

/** Throws `CatalogError` when a file declares a skill that the manifest does not list. */
export function assertListed(classes: readonly SkillClass[], files: readonly CatalogFile[]): void {
  const listed = new Set<unknown>(classes);
  for (const { path, exports } of files) {
    const declared = Object.values(exports).filter(isSkillClass);
    if (declared.length === 0) {
      throw new CatalogError(
        `src/skill/catalog/${path}.ts exports no class with @Skill. Add "@Skill({ … })" above the class, or rename the file.`,
      );
    }
    const missing = declared.find((skill) => !listed.has(skill));
    if (missing !== undefined) {
      throw new CatalogError(
        `The skill ${missing.name} is not listed. Add to ${MANIFEST}: ` +
          `"import { ${missing.name} } from './${path}.js';" and "${missing.name}," in CATALOG.`,
      );
    }
  }
}

function optionsOf(listed: SkillClass): SkillOptions {
  const options = skillOptionsOf(listed);
  if (options === undefined) {
    throw new CatalogError(
      `${listed.name} is listed in ${MANIFEST} but has no @Skill. ` +
        `Add "@Skill({ … })" above the class, or remove the line "${listed.name}," from ${MANIFEST}.`,
    );
  }
  const fault = faultOf(options, listed);
  if (fault !== undefined) {
    throw new CatalogError(`The skill "${options.id}" (${listed.name}) cannot be offered: ${fault}.`);
  }
  return options;
}

function faultOf(options: SkillOptions, listed: SkillClass): string | undefined {
  if (!ID.test(options.id)) {
    return 'its id must be a lower case letter and up to 63 more lower case letters, digits, "_" or "-"';
  }
  const limits = { concurrency: options.concurrency, timeoutMs: options.timeoutMs, maxAttempts: options.maxAttempts };
  const wrong = Object.entries(limits).find(
    ([, limit]) => limit !== undefined && !(Number.isInteger(limit) && limit > 0),
  );
  if (wrong !== undefined) {
    return `${wrong[0]} must be a whole number above 0`;
  }
  if (options.sandboxed === true && options.direct === true) {
    return 'it cannot be both direct and sandboxed';
  }
  if (options.sandboxed === true && listed.length > 0) {
    return 'a sandboxed skill can have no constructor parameters';
  }
  const dtos = [options.input, options.output].filter((dto) => dto !== undefined);
  const bare = dtos.find((dto) => membersOf(dto).length === 0);
  return bare === undefined ? undefined : `${bare.name} has no class-validator decorators`;
}

function isSkillClass(value: unknown): value is SkillClass {
  return typeof value === 'function' && skillOptionsOf(value as SkillClass) !== undefined;
}
