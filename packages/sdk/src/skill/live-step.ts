import type { SkillContext } from './skill.js';

/**
 * A step during which the skill goes on yielding: its result counts as given when it was asked for, so that a repeated run has the
 * result first, and yields the same events from it. A context has it while the turn has not waited; then a lost run is repeated from
 * its start, and what it has streamed begins anew.
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

/** The identity of the run of a context: what a skill counts in it begins anew with each run of the turn. */
export function runOf(context: object): object {
  const run: unknown = Reflect.get(context, RUN_OF);
  return typeof run === 'function' ? (run as () => object)() : context;
}
