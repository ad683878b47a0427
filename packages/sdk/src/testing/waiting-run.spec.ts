import { describe, expect, it } from '@jest/globals';
import { completed, type SkillEvent, working } from '../skill/events.js';
import { Skill, type SkillContext, type SkillHandler } from '../skill/skill.js';
import { runSkill } from './run-skill.js';

const about = (id: string) => ({ id, name: id, description: 'For tests', tags: [] });
const HOUR_MS = 3_600_000;

/** Does something else in each run. */
@Skill(about('fickle'))
class FickleSkill implements SkillHandler {
  private runs = 0;

  async *run({ sleep, waitFor }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    this.runs += 1;
    if (this.runs === 1) await sleep(HOUR_MS);
    else await waitFor();
    yield completed('never');
  }
}

/** Counts in its state, over a wait. */
@Skill(about('counting'))
class CountingSkill implements SkillHandler {
  async *run({ sleep, state, now, random }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const [began, dice] = [await now(), await random()];
    yield working('once');
    await state.set('count', (((await state.get('count')) as number | undefined) ?? 0) + 1);
    await sleep(HOUR_MS);
    const isSame = dice === (await random());
    yield completed(`${String(await state.get('count'))} after ${String((await now()) - began)} ${String(isSame)}`);
  }
}

/** Takes whatever comes first. */
@Skill(about('racing'))
class RacingSkill implements SkillHandler {
  async *run({ sleep, waitFor }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const first = await Promise.race([sleep(HOUR_MS), waitFor({ signal: 'stop' })]);
    await sleep(2 * HOUR_MS);
    yield completed(first === undefined ? 'time' : `stopped: ${first.text}`);
  }
}

describe('a skill under test that waits', () => {
  it('runs again after each wait, and reports where it does not repeat itself', async () => {
    await expect(runSkill(new FickleSkill())).rejects.toMatchObject({
      name: 'JournalMismatch',
      recorded: `sleep ${String(HOUR_MS)}`,
    });
  });

  it('yields, reads, writes and records time and chance once', async () => {
    const events = await runSkill(CountingSkill);
    expect(events.map(({ parts }) => parts)).toEqual([[{ text: 'once' }], [{ text: `1 after ${HOUR_MS} false` }]]);
  });

  it.each([
    ['stopped: enough', 0.5 * HOUR_MS],
    ['time', 1.5 * HOUR_MS],
  ])('keeps the winner of a race: %s', async (expected, atMs) => {
    const events = await runSkill(RacingSkill, { coming: [{ atMs, text: 'enough', signal: 'stop' }] });
    expect(events.at(-1)?.parts).toEqual([{ text: expected }]);
  });
});
