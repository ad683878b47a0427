import { describe, expect, it } from '@jest/globals';
import { Model, scripted } from '@parley/sdk/model';
import { runSkill } from '@parley/sdk/testing';
import { HeadlineSkill } from './headline.skill.js';

describe(HeadlineSkill.name, () => {
  it('gives what the model says', async () => {
    const skill = new HeadlineSkill(new Model(scripted('Rain, again')));
    expect(await runSkill(skill, 'It rains.')).toMatchObject([{ parts: [{ text: 'Rain, again' }] }]);
  });
});
