import { hostOf } from '@parley/sdk/skill/context/skill-host.js';
import type { SkillContext } from '@parley/sdk/skill/skill.js';

/** Waits up to the given ms. Resolves with whether a hint about the mirrored task ended the wait; where there are none, it sleeps. */
export async function waitForHint(context: SkillContext, ms: number): Promise<boolean> {
  const { waitForHint: wait } = hostOf(context);
  if (wait !== undefined) return wait(ms);
  await context.sleep(ms);
  return false;
}
