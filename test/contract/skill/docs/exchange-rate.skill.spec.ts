import { describe, expect, it } from '@jest/globals';
import { runSkill } from '@parley/sdk/testing';
import { ExchangeRateSkill } from './exchange-rate.skill.js';

describe(ExchangeRateSkill.name, () => {
  it('tells the rate', async () => {
    const fetch = () => Response.json({ usd: 1.25 });
    expect(await runSkill(ExchangeRateSkill, { fetch })).toMatchObject([{ parts: [{ text: '1.25' }] }]);
  });
});
