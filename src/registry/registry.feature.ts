import { defineFeature } from '../http/binding/feature.js';
import { REGISTRY_HEAD_FAULTS } from './api/registry-faults.js';
import { RegistryApiModule } from './api/registry-api.module.js';
import { RegistryModule } from './registry.module.js';
import { REGISTRY_PATH } from './registry.options.js';
import { REGISTRY_SCOPES } from './registry.scopes.js';
import { RegistrySettings } from './registry.settings.js';

/** The registry of other agents: its API where callers are served, the prober of cards where the service sweeps. */
export const registryFeature = defineFeature({
  name: 'registry',
  title: 'Registry of agents',
  settings: RegistrySettings,
  basePath: REGISTRY_PATH,
  scopes: {
    [REGISTRY_SCOPES.read]: 'Search the registry of agents',
    [REGISTRY_SCOPES.register]: 'Propose agents for the registry, and remove your own',
    [REGISTRY_SCOPES.curate]: 'Approve, suspend and remove agents of the registry of the tenant, and pin keys',
  },
  faults: REGISTRY_HEAD_FAULTS,
  isOn: ({ settings }) => settings.REGISTRY,
  module: ({ settings, keyPrefix, allow }, { binding, dispatches }) => {
    if (binding === undefined && !dispatches) return undefined;
    const { agents: mostAgents, bytes: mostBytes, probeSeconds } = settings;
    const options = { keyPrefix, mostAgents, mostBytes, probeMs: probeSeconds * 1000 };
    const registry = RegistryModule.forRoot({ options, allow: allow() }, dispatches);
    return binding === undefined ? registry : RegistryApiModule.forRoot(registry, binding);
  },
  listed: () => ({
    kind: 'registry',
    type: 'application/ai-registry+json',
    path: REGISTRY_PATH,
    description: 'Agents that the curators of this service have approved. Callers need a token.',
  }),
});
