import type { DynamicModule } from '@nestjs/common';

/** How a process tells Kubernetes and balancers of itself. */
export interface HealthOptions {
  /** Time between "not ready" and the end of the listening socket after SIGTERM, so that balancers notice; ms. */
  readonly leaveDelayMs: number;
  /** The worker whose progress decides about life, in processes that have one. */
  readonly worker?: DynamicModule;
}

/** Injection token of the options. */
export const HealthOptions = Symbol('HealthOptions');
