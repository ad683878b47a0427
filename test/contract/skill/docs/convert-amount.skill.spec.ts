import { describe, expect, it } from '@jest/globals';
import { runSkill } from '@parley/sdk/testing';
import { ConvertAmountSkill } from './convert-amount.skill.js';

describe(ConvertAmountSkill.name, () => {
  it('converts by the rate of the day', async () => {
    const [converted] = await runSkill(ConvertAmountSkill, { data: [{ amount: 100 }] });
    expect(converted?.parts).toEqual([{ data: { amount: 125, currency: 'USD' } }]);
  });

  it('keeps the rate of a run that was lost', async () => {
    const steps = new Map<string, unknown>([['rate', 2]]);
    const [converted] = await runSkill(ConvertAmountSkill, { data: [{ amount: 100 }], steps, attempt: 2 });
    expect(converted?.parts).toEqual([{ data: { amount: 200, currency: 'USD' } }]);
  });

  it('fails with a text for the caller', async () => {
    const run = runSkill(ConvertAmountSkill, { data: [{ amount: 100, to: 'CHF' }] });
    await expect(run).rejects.toThrow('There is no rate for CHF today.');
  });

  it('does not take a negative amount', async () => {
    await expect(runSkill(ConvertAmountSkill, { data: [{ amount: -1 }] })).rejects.toMatchObject({
      violations: [{ field: 'message.parts[0].data.amount', description: 'amount must be a positive number' }],
    });
  });
});
