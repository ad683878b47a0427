import { describe, expect, it } from '@jest/globals';
import type { AgentCard } from '@parley/protocol/model/agent-card.js';
import { cardHash, driftOf } from './card-drift.js';

const CARD: AgentCard = {
  ...{ name: 'A', description: 'Does.', version: '1', capabilities: {} },
  provider: { url: 'https://acme.example', organization: 'Acme' },
  supportedInterfaces: [{ url: 'https://a.example/x', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  ...{ defaultInputModes: [], defaultOutputModes: [] },
  securitySchemes: { key: { apiKeySecurityScheme: { location: 'header', name: 'x-key' } } },
  skills: ['pay', 'read'].map((id) => ({ id, name: id, description: 'Does.', tags: [] })),
};

const risks = (change: Partial<AgentCard>, signature = 'absent'): readonly string[] =>
  driftOf({ card: CARD, signature: 'absent' }, { card: { ...CARD, ...change }, signature }).risky;

describe(driftOf, () => {
  it('allows changed texts, examples and additional skills', () => {
    const more = { id: 'more', name: 'More', description: 'Does more.', tags: ['x'] };
    expect(risks({ description: 'New.', version: '2', skills: [...CARD.skills, more] })).toEqual([]);
    const moved = { url: 'https://a.example/other', protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' };
    expect(risks({ supportedInterfaces: [moved] })).toEqual([]);
  });

  it.each<readonly [string, Partial<AgentCard>]>([
    [
      'interface at another origin',
      { supportedInterfaces: [{ ...CARD.supportedInterfaces[0], url: 'https://b.example' } as never] },
    ],
    [
      'interface at another origin',
      { supportedInterfaces: [{ ...CARD.supportedInterfaces[0], url: 'http://a.example/x' } as never] },
    ],
    ['other security', { securitySchemes: {} }],
    ['other security', { securityRequirements: [{ schemes: { key: { list: [] } } }] }],
    ['other signing keys', { signatures: [{ protected: 'eyJ', signature: 'x' }] }],
    ['skill removed: read', { skills: CARD.skills.slice(0, 1) }],
    ['another provider', { provider: { url: 'https://acme.example', organization: 'Evil' } }],
  ])('asks for an approval: %s', (found, change) => {
    expect(risks(change)).toEqual([expect.stringContaining(found)]);
  });

  it('requires an approval when the signature of a pinned key is gone', () => {
    const gone = driftOf({ card: CARD, signature: 'verified' }, { card: CARD, signature: 'absent' });
    expect(gone.risky).toEqual(['no signature of a pinned key any more']);
  });
});

describe(cardHash, () => {
  it('depends on the content and not on the order of members', () => {
    expect(cardHash({ a: 1, b: [2] })).toBe(cardHash({ b: [2], a: 1 }));
    expect(cardHash({ a: 1 })).not.toBe(cardHash({ a: 2 }));
  });
});
