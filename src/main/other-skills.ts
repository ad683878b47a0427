import type { Environment } from './app.environment.js';
import { otherSkills } from './app.others.js';
import { ConfigError } from '../platform/config/config-error.js';
import { schemaFaultLines } from '@parley/sdk/skill/schema/schema-fault.js';
import type { OtherSkills } from '../skill/skill-catalog.js';

/** The ids of the tools and agents of other services exposed as skills; none for a broken file. */
export function shownIds(environment: Environment): readonly string[] {
  try {
    return otherSkills(environment).shown.map(({ id }) => id);
  } catch (error) {
    if (error instanceof ConfigError) return [];
    throw error;
  }
}

/** The skills of other services whose schemas cannot be used to check values, with the reasons (B5). */
export function unjudgedSkills({ shown }: Pick<OtherSkills, 'shown'>): readonly UnjudgedSkill[] {
  return shown.flatMap(({ id, input, output }) => {
    const reasons = schemaFaultLines({ input, output });
    return reasons.length === 0 ? [] : [{ skill: id, reasons }];
  });
}

export interface UnjudgedSkill {
  readonly skill: string;
  readonly reasons: readonly string[];
}
