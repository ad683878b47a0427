import { converse, Model, tool } from '@parley/sdk/model';
import { Skill, type SkillContext, type SkillEvent, type SkillHandler } from '@parley/sdk';

const temperature = tool({
  name: 'temperature',
  description: 'Tells the temperature of a city today, in °C.',
  input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  effects: 'none',
  run: async ({ city }, { fetch }) => {
    const response = await fetch(`https://weather.example.com/today?city=${encodeURIComponent(String(city))}`);
    return response.text();
  },
});

/** Answers questions about the weather. */
@Skill({
  id: 'weather',
  name: 'Weather',
  description: 'Answers questions about the weather of today.',
  tags: ['weather'],
  examples: ['Do I need a coat in Oslo?'],
})
export class WeatherSkill implements SkillHandler {
  constructor(private readonly model: Model) {}

  async *run(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    yield* converse(context, this.model, {
      instruction: 'Answer in one sentence. Take temperatures from the tool only.',
      tools: [temperature],
    });
  }
}
