import { turnContent } from '../content/turn-content.js';
import { misfits } from '../questions/answer-schema.js';
import type { SkillOptions } from '../skill.js';
import type { CallOutcome } from './call.js';

type Conditioned = Pick<SkillOptions, 'id' | 'conditions'>;

/** Why a call does not fit the version of its skill; undefined where it does. */
export function versionFault(
  { id, version = 0 }: Pick<SkillOptions, 'id' | 'version'>,
  wanted: number | undefined,
): string | undefined {
  if (wanted === undefined || wanted === version) return undefined;
  return `"${id}" has version ${String(version)}, and the call is written for version ${String(wanted)}`;
}

/** Why a call cannot name these conditions of success: the contract of the skill does not have one of them. */
export function conditionFault({ id, conditions = {} }: Conditioned, names: readonly string[]): string | undefined {
  const unknown = names.find((name) => !Object.hasOwn(conditions, name));
  if (unknown === undefined) return undefined;
  const known = Object.keys(conditions);
  return `"${unknown}" is no condition of "${id}": its contract has ${known.length === 0 ? 'none' : known.join(', ')}`;
}

/** Outcome of a call whose result must meet conditions: JSON Schemas that its first data value has to fit (O-07). */
export function metOutcome(
  outcome: CallOutcome,
  { conditions = {} }: Conditioned,
  names: readonly string[],
): CallOutcome {
  if ('why' in outcome || names.length === 0) return outcome;
  const parts = outcome.artifacts.length === 0 ? outcome.message : outcome.artifacts.flatMap((one) => one.parts);
  const [output] = turnContent([{ parts }]).data;
  const unmet = names.filter((name) => {
    const schema = conditions[name];
    return schema === undefined || misfits(schema, output).length > 0;
  });
  if (unmet.length === 0) return outcome;
  return { why: 'unmet', text: `its result does not meet ${unmet.join(', ')}`, taskId: outcome.taskId };
}
