import { describe, expect, it } from '@jest/globals';
import type { AgentCard, AgentSkill } from '@parley/protocol/model/agent-card.js';
import { definitionIn } from './exposed-skill.js';

function aCard(skill: Partial<AgentSkill>): AgentCard {
  return {
    ...{ name: 'Finance', description: 'Counts.', version: '1', capabilities: {}, supportedInterfaces: [] },
    ...{ defaultInputModes: ['text/plain'], defaultOutputModes: ['application/json'] },
    skills: [{ id: 'sum', name: 'Sum', description: 'Adds.', tags: [], ...skill }],
  };
}

describe(definitionIn.name, () => {
  it.each([{}, { inputModes: [], outputModes: [] }])(
    'gives %j the modes of the agent: it has none of its own',
    (modes) => {
      expect(definitionIn(aCard(modes), 'sum')).toMatchObject({
        inputModes: ['text/plain'],
        outputModes: ['application/json'],
      });
    },
  );

  it('keeps modes of the skill', () => {
    const modes = { inputModes: ['image/png'], outputModes: ['text/csv'] };
    expect(definitionIn(aCard(modes), 'sum')).toMatchObject(modes);
  });

  it('has no definition for a skill that the card lacks', () => {
    expect(definitionIn(aCard({}), 'difference')).toBeUndefined();
  });
});
