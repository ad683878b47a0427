import { isPattern } from './contract/glob.js';
import { membersOf } from './contract/json-schema.js';
import { skillOptionsOf, type SkillClass, type SkillOptions } from './skill.js';

const ID = /^[a-z][a-z0-9_-]{0,63}$/;

/** The skills cannot be offered together; the message names the one to change. The service must not start. */
export class CatalogError extends Error {
  override readonly name = 'CatalogError';
}

/**
 * The options of every class, in their order. Throws `CatalogError` for a class without `@Skill`, a bad id, or an id that
 * two of them have.
 */
export function catalogOptions(classes: readonly SkillClass[]): readonly SkillOptions[] {
  const byId = new Map<string, SkillClass>();
  return classes.map((listed) => {
    const options = optionsOf(listed);
    const first = byId.get(options.id);
    if (first !== undefined) {
      const other = first === listed ? 'itself, a second time' : first.name;
      throw new CatalogError(
        `The skill id "${options.id}" of ${listed.name} is also that of ${other}. ` +
          'Give one of them another id, or leave one of their packs out of SKILLS.',
      );
    }
    byId.set(options.id, listed);
    return options;
  });
}

/** The types of events that a skill subscribes to, as globs. */
export function subscriptionsOf({ on = [] }: Pick<SkillOptions, 'on'>): readonly string[] {
  return typeof on === 'string' ? [on] : on;
}

function optionsOf(listed: SkillClass): SkillOptions {
  const options = skillOptionsOf(listed);
  if (options === undefined) {
    throw new CatalogError(`${listed.name} has no @Skill. Add "@Skill({ … })" above the class.`);
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
  const keys = [...(options.memory?.reads ?? []), ...(options.memory?.writes ?? [])];
  const bad = keys.find((key) => !isPattern(key));
  if (bad !== undefined) {
    return `its memory names "${bad}", which is no pattern of at most 256 characters`;
  }
  const types = subscriptionsOf(options);
  const badType = types.find((type) => !isPattern(type));
  if (badType !== undefined) {
    return `it subscribes to "${badType}", which is no pattern of at most 256 characters`;
  }
  if (types.length > 0 && options.direct === true) {
    return 'a direct skill has no tasks, and cannot subscribe to events';
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
