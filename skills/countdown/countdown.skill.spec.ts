import { describe, expect, it } from '@jest/globals';
import { runSkill, streamSkill } from '@parley/sdk/testing';
import { CountdownSkill, secondsIn } from './countdown.skill.js';

describe(CountdownSkill.name, () => {
  it('sends one growing artifact', async () => {
    const events = await runSkill(CountdownSkill, '1 second');
    expect(events.map(({ parts }) => parts)).toEqual([
      [{ text: 'Counting down from 1' }],
      [{ text: '1\n' }],
      [{ text: '0\n' }],
    ]);
    expect(events.at(-1)).toMatchObject({ artifactId: 'countdown', append: true, lastChunk: true });
  });

  it('stops at once when it is aborted', async () => {
    const controller = new AbortController();
    const events = streamSkill(CountdownSkill, { text: '60', signal: controller.signal });
    await events.next();
    await events.next();
    const started = Date.now();
    const third = events.next();
    controller.abort();
    await expect(third).rejects.toMatchObject({ name: 'AbortError' });
    expect(Date.now() - started).toBeLessThan(500);
  });
});

describe(secondsIn.name, () => {
  it.each([
    ['', 5],
    ['from 12 please', 12],
    ['99999999999999999999', 300],
    ['soon', 5],
  ])('%j: %d', (text, seconds) => {
    expect(secondsIn(text)).toBe(seconds);
  });
});
