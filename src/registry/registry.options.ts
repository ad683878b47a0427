/** Bounds of the registry. */
export interface RegistryOptions {
  readonly keyPrefix: string;
  /** Agents of one tenant. */
  readonly mostAgents: number;
  /** Bytes of entries and cards of one tenant. */
  readonly mostBytes: number;
  /** Pause between two looks at a card, ms. */
  readonly probeMs: number;
}

/** Injection token of the options. */
export const RegistryOptions = Symbol('RegistryOptions');
