/** Scopes of the registry of other agents. None implies another. */
export const REGISTRY_SCOPES = {
  read: 'a2a:registry.read',
  register: 'a2a:registry.register',
  curate: 'a2a:registry.curate',
} as const;
