import { describe, expect, it } from '@jest/globals';
import { IsString } from 'class-validator';
import { artifact, type SkillEvent } from '@parley/sdk/skill/events.js';
import type { SkillContext, SkillOptions } from '@parley/sdk/skill/skill.js';
import { isInSimulation, outsideSimulation } from '@parley/sdk/skill/simulation/simulated-run.js';
import { simulatedSkill } from './simulated-skill.js';

class Payment {
  @IsString()
  readonly receipt!: string;
}

const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ data: {} }] } as const;
const context = { history: [message], messages: [message], metadata: {} } as unknown as SkillContext;

/** The events of a skill with these options in debug mode; `ran` if its own code ran. */
async function simulated(options: Partial<SkillOptions>): Promise<readonly SkillEvent[]> {
  const handler = {
    async *run(): AsyncGenerator<SkillEvent, void, void> {
      await Promise.resolve();
      yield artifact('ran', String(isInSimulation()));
    },
  };
  const all = { id: 's', name: 'Pay', description: 'd', tags: [], ...options };
  const events: SkillEvent[] = [];
  for await (const event of simulatedSkill({ options: all, handler }).run(context)) {
    events.push(event);
    expect(isInSimulation()).toBe(false);
  }
  return events;
}

describe(simulatedSkill.name, () => {
  it.each([{}, { effects: 'none' }, { effects: 'irreversible', simulate: 'run' }] as const)(
    'runs a skill with %j, as code of a simulated run (O-80)',
    async (options) => {
      expect(await simulated(options)).toMatchObject([{ artifactId: 'ran', parts: [{ text: 'true' }] }]);
    },
  );

  it.each([{ effects: 'irreversible' }, { reachesOut: true }] as const)(
    'answers for a skill with %j with the example of its contract (O-80)',
    async (options) => {
      expect(await simulated({ ...options, output: Payment })).toMatchObject([
        { artifactId: 'simulated', parts: [{ data: { receipt: '[DEBUG] receipt would be here.' } }] },
      ]);
      expect(await simulated(options)).toMatchObject([{ parts: [{ text: '[DEBUG] Pay would answer here.' }] }]);
    },
  );

  it('answers with the simulation of the skill, and refuses one that breaks its contract (O-80)', async () => {
    expect(await simulated({ simulate: { receipt: 'R' }, output: Payment })).toMatchObject([
      { parts: [{ data: { receipt: 'R' } }] },
    ]);
    expect(await simulated({ simulate: () => 'a text' })).toMatchObject([{ parts: [{ text: 'a text' }] }]);
    await expect(simulated({ simulate: {}, output: Payment })).rejects.toThrow('breaks its contract');
  });
});

describe(outsideSimulation.name, () => {
  it('excludes calls for other callers from a simulated run', async () => {
    const seen: boolean[] = [];
    const handler = {
      async *run(): AsyncGenerator<SkillEvent, void, void> {
        seen.push(isInSimulation(), outsideSimulation(isInSimulation));
        await Promise.resolve();
        yield artifact('a', 'b');
      },
    };
    const options = { id: 's', name: 'S', description: 'd', tags: [] };
    for await (const _event of simulatedSkill({ options, handler }).run(context)) seen.push(isInSimulation());
    expect(seen).toEqual([true, false, false]);
  });
});
