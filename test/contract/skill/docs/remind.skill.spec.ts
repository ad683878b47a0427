import { describe, expect, it } from '@jest/globals';
import { runSkill } from '@parley/sdk/testing';
import { Mailer, RemindSkill } from './remind.skill.js';

const HOUR_MS = 3_600_000;

describe(RemindSkill.name, () => {
  it('reminds once, waits for the answer, and sends no mail twice', async () => {
    const mailer = new Mailer();
    const coming = [{ atMs: 30 * HOUR_MS, text: 'We take it', signal: 'answered' }];
    const events = await runSkill(new RemindSkill(mailer), { text: '10 chairs', coming });
    expect(events.map(({ parts }) => parts)).toEqual([
      [{ text: 'The offer is sent.' }],
      [{ text: 'A reminder is sent.' }],
      [{ text: '"We take it", 31 hours after the offer.' }],
    ]);
    expect(mailer.sent).toEqual(['Offer: 10 chairs', 'Reminder: 10 chairs']);
  });

  it('gives up after two days, in no time', async () => {
    const events = await runSkill(new RemindSkill(new Mailer()), '10 chairs');
    expect(events.at(-1)?.parts).toEqual([{ text: 'Nobody has answered.' }]);
  });
});
