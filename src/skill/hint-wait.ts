import type { SkillContext } from '@parley/sdk/skill/skill.js';

/** Waits up to the given ms. Resolves with whether a hint ended the wait. */
export type HintWait = (ms: number) => Promise<boolean>;

/**
 * A wait of a context that hints end: the service was notified of a possible change of the mirrored task. Not for
 * authors, whose tasks mirror nothing.
 */
export const HINT_WAIT = Symbol('A wait that hints end');

/** The hint wait of a context; one without it only sleeps. */
export function hintWaitOf(context: SkillContext): HintWait {
  const wait: unknown = Reflect.get(context, HINT_WAIT);
  if (typeof wait === 'function') return wait as HintWait;
  return async (ms) => {
    await context.sleep(ms);
    return false;
  };
}
