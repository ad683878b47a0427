import type { RegistryEntry } from '../../../src/registry/entry/registry-entry.js';

/** An agent of a registry: of the client `owner`, proposed, for everybody of the tenant. */
export function anEntry(own: Partial<RegistryEntry> = {}): RegistryEntry {
  const at = '2026-11-23T12:00:00.000Z';
  return {
    ...{ identifier: 'urn:air:a.example:agent:a', state: 'proposed', owner: 'owner', visibility: { kind: 'tenant' } },
    ...{ url: 'https://a.example/.well-known/agent-card.json', hash: '0'.repeat(64), proof: { kind: 'well-known' } },
    ...{ signature: 'absent', registered: at, updated: at },
    listing: {
      ...{ displayName: 'A', description: '', version: '1', tags: [], capabilities: [], representativeQueries: [] },
      ...{ skillTexts: [], bindings: [], protocolVersions: [], inputModes: [], outputModes: [], extensions: [] },
    },
    ...own,
  };
}
