import type { SkillContext } from './skill.js';

/**
 * A step during which the skill continues to yield: its result counts as given when it was asked for, so that a
 * repeated run has the result first, and yields the same events from it. A context offers it until the turn waits;
 * until then a lost run is repeated from its start, and its stream begins anew.
 */
export const LIVE_STEP = Symbol('A step during which events are yielded');

/** The live step of a context; undefined where a step must be over before events follow from it. */
export function liveStepOf(context: object): SkillContext['step'] | undefined {
  const step: unknown = Reflect.get(context, LIVE_STEP);
  return typeof step === 'function' ? (step as LiveStep)() : undefined;
}

/** Gives the live step of a context while it has one. */
export type LiveStep = () => SkillContext['step'] | undefined;

/** A context that several runs of a turn share says which of them it is in: a test's does. */
export const RUN_OF = Symbol('The run of a context');

/** The identity of the run of a context: counters of a skill in it begin anew with each run of the turn. */
export function runOf(context: object): object {
  const run: unknown = Reflect.get(context, RUN_OF);
  return typeof run === 'function' ? (run as () => object)() : context;
}
