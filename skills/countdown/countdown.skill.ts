import { setTimeout as sleep } from 'node:timers/promises';
import { chunk, working, type SkillEvent } from '@parley/sdk';
import { Skill, type SkillContext, type SkillHandler } from '@parley/sdk';

const DEFAULT_SECONDS = 5;
const MAX_SECONDS = 300;

/** Counts down aloud: for trying streams, reconnects and cancel. */
@Skill({
  id: 'countdown',
  name: 'Countdown',
  description: `Counts down, one number a second; the message says from where (default ${String(DEFAULT_SECONDS)}, at most ${String(MAX_SECONDS)}).`,
  tags: ['test', 'stream'],
  examples: ['10', 'Count down from 3'],
})
export class CountdownSkill implements SkillHandler {
  async *run({ text, signal }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const seconds = secondsIn(text);
    yield working(`Counting down from ${String(seconds)}`);
    for (let left = seconds; left > 0; left--) {
      yield chunk('countdown', `${String(left)}\n`, { name: 'Countdown' });
      await sleep(1000, undefined, { signal });
    }
    yield chunk('countdown', '0\n', { name: 'Countdown', last: true });
  }
}

/** The first whole number of the text, within the bounds. */
export function secondsIn(text: string): number {
  const found = /\d+/.exec(text)?.[0];
  return found === undefined ? DEFAULT_SECONDS : Math.min(Number(found), MAX_SECONDS);
}
