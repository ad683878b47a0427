import { describe, expect, it } from '@jest/globals';
import { type Card, cardFaults } from './card-faults.js';

const CARD: Card = {
  ...{ name: 'Parley', description: 'An agent.', version: '1.0.0', capabilities: {} },
  ...{ defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] },
  supportedInterfaces: [
    { url: 'https://agent.example/', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    { url: 'agent.example:443', protocolBinding: 'GRPC', protocolVersion: '1.0' },
  ],
  skills: [{ id: 'echo', name: 'Echo', description: 'Echoes.', tags: ['test'] }],
};

describe(cardFaults, () => {
  it('finds nothing in a whole card', () => {
    expect(cardFaults(CARD)).toEqual([]);
  });

  it('names each field that is missing or wrong', () => {
    const [skill = {}] = CARD.skills ?? [];
    const faulty = {
      ...CARD,
      version: '',
      supportedInterfaces: [{ url: 'agent', protocolBinding: 'JSONRPC' }],
      skills: [skill, skill],
    };
    expect(cardFaults(faulty)).toEqual([
      { field: 'version', text: 'is required' },
      { field: 'supportedInterfaces[0].protocolVersion', text: 'is required' },
      { field: 'supportedInterfaces[0].url', text: 'is no absolute URL' },
      { field: 'skills[1].id', text: 'is that of another skill' },
    ]);
    expect(cardFaults({}).map(({ field }) => field)).toContain('supportedInterfaces');
  });
});
