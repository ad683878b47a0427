import { hintWaitOf } from '../../skill/hint-wait.js';
import type { SkillContext } from '@parley/sdk/skill/skill.js';
import { backstopBefore, leastApart, pauseBefore } from './poll-schedule.js';

/** A callback behind another one is often followed by more. Short enough for a wait that keeps its run. */
const SETTLE_MS = 50;

/** When a task of another agent is looked at: after pauses that grow, or when a callback says that it has changed. */
export class LookPace {
  private looks = 0;
  /** When the look before the latest one was, ms. The first one, right behind the message, does not count. */
  private before = -Infinity;
  /** Looks that no callback has asked for. */
  private unasked = 0;

  /**
   * @param isPushed whether the agent has taken a webhook
   * @param longestMs the pause that they grow to; absent: that of a task that is worked on
   */
  constructor(
    private readonly context: SkillContext,
    private readonly isPushed: boolean,
    private readonly longestMs?: number,
  ) {}

  /**
   * Waits until the next look.
   * @param lookedAt when the last one was, ms
   * @param downMs the agent did not answer, and wants to be left alone so long
   */
  async wait(lookedAt: number, downMs?: number): Promise<void> {
    const { context, longestMs } = this;
    const look = this.looks++;
    const { before } = this;
    if (look > 0) this.before = lookedAt;
    if (!this.isPushed || downMs !== undefined) {
      await context.sleep(pauseBefore(look, downMs, longestMs));
      return;
    }
    if (!(await hintWaitOf(context)(backstopBefore(this.unasked, context.taskId, longestMs)))) {
      this.unasked += 1;
      return;
    }
    const now = await context.now();
    const pace = 2 * leastApart(look);
    // After a while without any, the first one is the news.
    if (now - lookedAt > pace) return;
    // The last events of a task come together: one look is for all of them.
    await context.sleep(Math.max(SETTLE_MS, before + pace - now));
  }
}
