/** The identity that a process registers. */
export interface HealthOptions {
  readonly keyPrefix: string;
  readonly role: string;
  readonly version: string;
}

/** Injection token of the options. */
export const HealthOptions = Symbol('HealthOptions');
