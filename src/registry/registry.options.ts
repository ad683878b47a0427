/** Base path of the registry's API: `/search`, `/explore` and `/agents` are below it. */
export const REGISTRY_PATH = '/registry';

/** Bounds of the registry. */
export interface RegistryOptions {
  readonly keyPrefix: string;
  /** Agents per tenant. */
  readonly mostAgents: number;
  /** Bytes of entries and cards per tenant. */
  readonly mostBytes: number;
  /** Pause between two probes of a card, ms. */
  readonly probeMs: number;
}

/** Injection token of the options. */
export const RegistryOptions = Symbol('RegistryOptions');
