import type { DynamicModule } from '@nestjs/common';

/** Who a process is, as it says of itself. */
export interface HealthOptions {
  readonly keyPrefix: string;
  readonly role: string;
  readonly version: string;
  /** The worker whose progress decides about life, in processes that have one. */
  readonly worker?: DynamicModule;
}

/** Injection token of the options. */
export const HealthOptions = Symbol('HealthOptions');
