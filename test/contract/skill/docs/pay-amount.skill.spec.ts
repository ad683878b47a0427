import { describe, expect, it } from '@jest/globals';
import { runSkill } from '@parley/sdk/testing';
import { PayAmountSkill } from './pay-amount.skill.js';

const children = { transfer: () => 'Receipt 17' };

describe(PayAmountSkill.name, () => {
  it('pays what is approved', async () => {
    const events = await runSkill(PayAmountSkill, { text: '12400', children, answers: [{ approve: true }] });
    expect(events.at(-1)?.parts).toEqual([{ text: 'Receipt 17' }]);
  });

  it('rejects what nobody approves in time', async () => {
    await expect(runSkill(PayAmountSkill, { text: '12400', children })).rejects.toThrow('No answer came in time');
  });
});
