import { describe, expect, it } from '@jest/globals';
import type { AgentCard, AgentSkill } from '@parley/protocol/model/agent-card.js';
import { aiCatalog, ardManifest } from './ard-documents.js';

const skill = (id: string, examples: readonly string[] = [], tags: readonly string[] = []): AgentSkill => ({
  ...{ id, name: id, description: 'Does.', tags, examples },
});

const CARD: AgentCard = {
  ...{ name: 'Parley & Söhne', description: 'Talks.', version: '1.2.3', supportedInterfaces: [], capabilities: {} },
  ...{ defaultInputModes: [], defaultOutputModes: [] },
  provider: { url: 'https://acme.example', organization: 'Acme' },
  skills: [skill('a', ['one', 'two', 'three'], ['x', 'y']), skill('b', ['four'], ['y', 'z']), skill('c')],
};

const REGISTRY = { kind: 'registry', type: 'application/ai-registry+json', path: '/registry', description: 'Agents.' };

const entry = (card: AgentCard, url = 'https://agent.acme.example:8443') =>
  (ardManifest({ card, url, listed: [] }).entries as readonly Record<string, unknown>[])[0] ?? {};

describe(ardManifest.name, () => {
  it('shows the agent under the name of its host, with its skills and the URL of its card', () => {
    expect(entry(CARD)).toEqual({
      identifier: 'urn:air:agent.acme.example:agent:parley-s-hne',
      displayName: 'Parley & Söhne',
      type: 'application/a2a-agent-card+json',
      url: 'https://agent.acme.example:8443/.well-known/agent-card.json',
      ...{ description: 'Talks.', version: '1.2.3', tags: ['x', 'y', 'z'], capabilities: ['a', 'b', 'c'] },
      representativeQueries: ['one', 'four', 'two', 'three'],
    });
  });

  it('has a name in the syntax of both formats, whatever host and agent are called', () => {
    const PATTERN = /^urn:air:[a-zA-Z0-9.-]+(:[a-zA-Z0-9._-]+)+$/;
    const names = ['Parley', '日本', '--', 'a:b:c', ' x ', 'A'.repeat(300)];
    const urls = ['http://127.0.0.1:3000', 'http://[::1]:3000', 'https://münchen.example'];
    for (const name of names) for (const url of urls) expect(entry({ ...CARD, name }, url).identifier).toMatch(PATTERN);
  });

  it('lists the other resources of the host', () => {
    const { entries } = ardManifest({ card: CARD, url: 'https://a.example', listed: [REGISTRY] });
    expect(entries).toMatchObject([
      {},
      {
        identifier: 'urn:air:a.example:registry:parley-s-hne',
        type: 'application/ai-registry+json',
        url: 'https://a.example/registry',
      },
    ]);
  });

  it('has two to five examples of requests, or none', () => {
    const queries = (...examples: readonly string[]) =>
      entry({ ...CARD, skills: [skill('a', examples)] }).representativeQueries;
    expect(queries('1')).toBeUndefined();
    expect(queries('1', '1')).toBeUndefined();
    expect(queries('1', '2', '3', '4', '5', '6')).toHaveLength(5);
  });
});

describe(aiCatalog.name, () => {
  it('has the same entry, its version, and the organisation behind the host', () => {
    const published = { card: CARD, url: 'https://agent.acme.example', listed: [REGISTRY] };
    const catalog = aiCatalog(published);
    expect(catalog).toMatchObject({ specVersion: '1.0', host: { displayName: 'Acme' } });
    expect(catalog.entries).toEqual(ardManifest(published).entries);
    expect(aiCatalog({ ...published, card: { ...CARD, skills: [] } })).toMatchObject({
      entries: [{ capabilities: [] }, {}],
    });
  });
});
