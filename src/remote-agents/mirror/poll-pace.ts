import { waitForHint } from '../../skill/hint-wait.js';
import type { SkillContext } from '@parley/sdk/skill/skill.js';
import { backstopBefore, leastApart, pauseBefore } from './poll-schedule.js';

/** Callbacks often come in groups. Short enough for a wait that keeps its run. */
const SETTLE_MS = 50;

/** Schedules the polls of another agent's task: after growing pauses, or when a callback reports a change. */
export class PollPace {
  private polls = 0;
  /** Time of the poll before the latest one, ms. The first poll, right after the message, does not count. */
  private before = -Infinity;
  /** Polls not caused by a callback. */
  private unasked = 0;

  /**
   * @param isPushed whether the agent has accepted a webhook
   * @param longestMs the longest pause; absent: that of a task in progress
   */
  constructor(
    private readonly context: SkillContext,
    private readonly isPushed: boolean,
    private readonly longestMs?: number,
  ) {}

  /**
   * Waits until the next poll.
   * @param polledAt time of the last poll, ms
   * @param downMs the agent did not answer and asks for this pause
   */
  async wait(polledAt: number, downMs?: number): Promise<void> {
    const { context, longestMs } = this;
    const poll = this.polls++;
    const { before } = this;
    if (poll > 0) this.before = polledAt;
    if (!this.isPushed || downMs !== undefined) {
      await context.sleep(pauseBefore(poll, downMs, longestMs));
      return;
    }
    if (!(await waitForHint(context, backstopBefore(this.unasked, context.taskId, longestMs)))) {
      this.unasked += 1;
      return;
    }
    const now = await context.now();
    const pace = 2 * leastApart(poll);
    // After a quiet pause the first callback is polled for at once.
    if (now - polledAt > pace) return;
    // The last events of a task come together: one poll serves all of them.
    await context.sleep(Math.max(SETTLE_MS, before + pace - now));
  }
}
