import { membersOf } from '../contract/json-schema.js';
import type { SkillOptions } from '../skill.js';
import type { CallFailed, CallFault, CallInput, CallSpec, Fallback } from './call.js';

/** Faults for which another skill may be tried. Calls refused before they were made, or not approved, are not among them. */
const HELPED: ReadonlySet<CallFault> = new Set<CallFault>(['failed', 'rejected', 'deadline', 'unmet']);

/** The call of the fallback; undefined where the failure is not one that it is for. */
export function fallbackCall(
  { key, input }: CallSpec,
  fallback: string | Fallback,
  { why, message }: CallFailed,
): CallSpec | undefined {
  if (!HELPED.has(why)) return undefined;
  const { skillId, input: own } = typeof fallback === 'string' ? { skillId: fallback } : fallback;
  const spec = { skillId, key: `${key}~fallback` };
  if (own !== undefined) return { ...spec, input: own };
  const isObject = typeof input !== 'string' && !Array.isArray(input);
  return { ...spec, input: isObject ? { ...input, reason: message } : input, trims: true };
}

/** Input of a call for a skill: of an input that may have more, the members that the contract of the skill has. */
export function inputFor({ input: contract }: Pick<SkillOptions, 'input'>, { input, trims }: CallSpec): CallInput {
  if (trims !== true || contract === undefined || typeof input === 'string' || Array.isArray(input)) return input;
  const known = membersOf(contract);
  return Object.fromEntries(Object.entries(input).filter(([name]) => known.includes(name)));
}
