import { describe, expect, it } from '@jest/globals';
import { Model, scripted } from '@parley/sdk/model';
import { runSkill } from '@parley/sdk/testing';
import { WeatherSkill } from './weather.skill.js';

describe(WeatherSkill.name, () => {
  it('looks up the temperature, and streams the answer', async () => {
    const model = scripted({ tools: { temperature: { city: 'Oslo' } } }, 'Take a coat.');
    const fetch = () => new Response('-4');
    const events = await runSkill(new WeatherSkill(new Model(model)), { text: 'A coat in Oslo?', fetch });
    expect(events.map(({ parts: [part] }) => part)).toEqual(['Take ', 'a ', 'coat.', ''].map((text) => ({ text })));
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', text: '-4' });
  });

  it('asks the model nothing twice, wherever the process crashes', async () => {
    const model = scripted({ tools: { temperature: { city: 'Oslo' } } }, 'Take a coat.');
    const fetch = () => new Response('-4');
    await runSkill(new WeatherSkill(new Model(model)), { text: 'A coat in Oslo?', fetch, crashAfter: 'each' });
    expect(model.requests).toHaveLength(2);
  });
});
