import { describe, expect, it } from '@jest/globals';
import { runSkill } from '@parley/sdk/testing';
import { DiceSettings, DiceSkill } from './dice.skill.js';

describe(DiceSkill.name, () => {
  it('throws the dice that it is given', async () => {
    const skill = new DiceSkill({ throw: (sides) => sides }, new DiceSettings());
    expect(await runSkill(skill)).toMatchObject([{ parts: [{ text: '6' }] }]);
  });
});
