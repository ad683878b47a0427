import type { DynamicModule } from '@nestjs/common';

/** Who a process is, as it says of itself. */
export interface HealthOptions {
  readonly keyPrefix: string;
  readonly role: string;
  readonly version: string;
  /** The modules of this process whose progress decides about its life: they export a watchdog. */
  readonly watched: readonly DynamicModule[];
}

/** Injection token of the options. */
export const HealthOptions = Symbol('HealthOptions');
