import { describe, expect, it } from '@jest/globals';
import { HOST } from '@parley/sdk/skill/context/skill-host.js';
import type { SkillContext } from '@parley/sdk/skill/skill.js';
import { PollPace } from './poll-pace.js';
import { backstopBefore, LOGIN_MS } from './poll-schedule.js';

interface Waits {
  readonly isPushed: boolean;
  readonly callbacks?: readonly number[];
  readonly longestMs?: number;
}

/** The waits of a mirror. Each wait that accepts a callback gets one after the given ms. */
function waitsOf({ isPushed, callbacks = [], longestMs }: Waits) {
  const hints = [...callbacks];
  const bench = { clock: 0, slept: [] as number[], awaited: [] as number[] };
  const context = {
    taskId: 't1',
    now: async () => bench.clock,
    sleep: async (ms: number) => {
      bench.slept.push(ms);
      bench.clock += ms;
    },
    [HOST]: {
      waitForHint: async (ms: number) => {
        const after = hints.shift();
        bench.awaited.push(ms);
        bench.clock += after ?? ms;
        return after !== undefined;
      },
    },
  };
  return { ...bench, bench, pace: new PollPace(context as unknown as SkillContext, isPushed, longestMs) };
}

describe(PollPace.name, () => {
  it('O-63: polls an agent without webhooks after pauses that grow', async () => {
    const { pace, bench } = waitsOf({ isPushed: false });
    for (let poll = 0; poll < 10; poll += 1) await pace.wait(bench.clock);
    expect(bench.slept.slice(0, 3)).toEqual([1000, 1500, 2250]);
    expect(bench.slept.at(-1)).toBe(30_000);
  });

  it('F12: polls at once on the first callback after a pause, at most twice in two seconds', async () => {
    const { pace, bench } = waitsOf({ isPushed: true, callbacks: [5000, 10, 400] });
    for (let poll = 0; poll < 3; poll += 1) await pace.wait(bench.clock);
    expect(bench.slept).toEqual([50, 1540]);
    expect(bench.clock).toBe(7000);
  });

  it('SEED-22: keeps polling an agent that promised webhooks and sends none: after 30 s, 1 min … 15 min', async () => {
    const { pace, bench } = waitsOf({ isPushed: true });
    for (let poll = 0; poll < 8; poll += 1) await pace.wait(bench.clock);
    expect(bench.awaited).toEqual(Array.from({ length: 8 }, (_unused, round) => backstopBefore(round, 't1')));
    for (const [at, usual] of [30_000, 60_000, 120_000, 240_000, 480_000, 900_000, 900_000].entries()) {
      expect(Math.abs((bench.awaited[at] ?? 0) / usual - 1)).toBeLessThanOrEqual(0.2);
    }
  });

  it('does not poll a failing agent before its Retry-After, whatever callbacks come', async () => {
    const { pace, bench } = waitsOf({ isPushed: true, callbacks: [1] });
    await pace.wait(0, 20_000);
    expect(bench.slept).toEqual([20_000]);
    expect(bench.awaited).toEqual([]);
  });

  it.each([true, false])('fits 30 days of waiting for a login into the journal (webhook: %s)', async (isPushed) => {
    const { pace, bench } = waitsOf({ isPushed, longestMs: LOGIN_MS });
    let polls = 0;
    for (; bench.clock < 30 * 86_400_000; polls += 1) await pace.wait(bench.clock);
    // Five entries per poll; the journal holds 10,000.
    expect(polls).toBeLessThan(1200);
  });
});
