import { describe, expect, it } from '@jest/globals';
import { IsInt, IsString } from 'class-validator';
import { bannerText } from './banner.js';
import { loadConfig } from './app.environment.js';
import type { SkillOptions } from '@parley/sdk/skill/skill.js';

class TripInput {
  @IsString()
  readonly to!: string;

  @IsInt()
  readonly days!: number;
}

const about = (id: string): SkillOptions => ({ id, name: id, description: `About ${id}`, tags: [] });

function firstParams(...skills: readonly SkillOptions[]): unknown {
  const environment = loadConfig({ REDIS_URL: 'redis://127.0.0.1:1' });
  const text = bannerText({ address: 'http://127.0.0.1:1', environment, redis: undefined, skills, version: '1' });
  const body =
    /-d '(.*)'\n/
      .exec(text)?.[1]
      ?.replace("'$RANDOM$RANDOM'", '12')
      .replaceAll(String.raw`'\''`, "'") ?? '';
  return (JSON.parse(body) as { params: unknown }).params;
}

const message = (...parts: readonly object[]) => ({ messageId: '12', role: 'ROLE_USER', parts });

describe(bannerText.name, () => {
  it('calls the skill that gets messages without a skill id', () => {
    expect(firstParams(about('find'), about('echo'))).toEqual({ message: message({ text: 'Hello' }) });
  });

  it('calls the first skill of a project by its id, with its example (A-6)', () => {
    const find = { ...about('find'), examples: ["What's up?"] };
    const called = { message: message({ text: "What's up?" }), metadata: { skillId: 'find' } };
    expect(firstParams(find, about('book'))).toEqual(called);
  });

  it('sends data that fits the contract of a skill that takes JSON only (A-6)', () => {
    const trip = { ...about('trip'), input: TripInput, inputModes: ['application/json'] };
    const data = { to: expect.any(String), days: expect.any(Number) };
    expect(firstParams(trip)).toEqual({ message: message({ data }), metadata: { skillId: 'trip' } });
  });
});
