import { isPattern } from '@parley/sdk/skill/contract/glob.js';
import { membersOf } from '@parley/sdk/skill/contract/json-schema.js';
import type { PinnedTool } from '@parley/sdk/skill/start-check.js';
import { skillOptionsOf, type SkillClass, type SkillOptions } from '@parley/sdk/skill/skill.js';

/** Ids of skills. */
export const SKILL_ID = /^[a-z][a-z0-9_-]{0,63}$/;

/** Skills that cannot be offered together; the message names the one to change. The service must not start. */
export class CatalogError extends Error {
  override readonly name = 'CatalogError';
}

/**
 * The options of every class, in their order. Throws `CatalogError` for a class without `@Skill`, a bad id, or a
 * repeated id.
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

/** Skills outside of packs: tools and agents of other services. */
export interface OtherSkills {
  /** Exposed to callers as skills of this service. */
  readonly shown: readonly SkillOptions[];
  /** For other skills only: they are in no card, and receive no message. */
  readonly inside: readonly SkillOptions[];
  /** A tool that MCP_SERVERS_FILE lists; absent: tools are not checked. */
  readonly findTool?: (server: string, tool: string) => PinnedTool | undefined;
}

export const NO_OTHER_SKILLS: OtherSkills = { shown: [], inside: [] };

/** All skills exposed to callers. @throws CatalogError for a repeated id */
export function withShown(
  own: readonly SkillOptions[],
  { shown }: Pick<OtherSkills, 'shown'>,
): readonly SkillOptions[] {
  const all = [...own, ...shown];
  const twice = shown.find(({ id }) => all.filter((one) => one.id === id).length > 1);
  if (twice === undefined) return all;
  throw new CatalogError(
    `The skill id "${twice.id}", under which a tool or an agent of another service is shown, is also that of another skill. ` +
      'Give it another id in MCP_SERVERS_FILE or AGENTS_FILE.',
  );
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

/** Each version of a skill has a number of its own, below that of the present one. */
function versionFault({ id, version = 0, previous = [] }: SkillOptions): string | undefined {
  if (!Number.isInteger(version) || version < 0) return 'its version must be a whole number from 0';
  const numbers = new Set([version]);
  for (const each of previous) {
    const { id: its, version: number = 0 } = optionsOf(each);
    if (its !== id) return `its previous version ${each.name} has the id "${its}"`;
    if (number > version || numbers.has(number)) {
      return `its previous version ${each.name} has the version ${String(number)}, and needs one of its own below ${String(version)}`;
    }
    numbers.add(number);
  }
  return undefined;
}

function faultOf(options: SkillOptions, listed: SkillClass): string | undefined {
  if (!SKILL_ID.test(options.id)) {
    return 'its id must be a lower case letter and up to 63 more lower case letters, digits, "_" or "-"';
  }
  const version = versionFault(options);
  if (version !== undefined) return version;
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
  const dtos = [options.input, options.output].filter((contract) => typeof contract === 'function');
  const bare = dtos.find((dto) => membersOf(dto).length === 0);
  return bare === undefined ? undefined : `${bare.name} has no class-validator decorators`;
}
