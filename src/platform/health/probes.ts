import { Injectable } from '@nestjs/common';
import type { HealthIndicatorFunction } from '@nestjs/terminus';

/** The probes of Kubernetes. */
export type ProbeName = 'live' | 'ready' | 'startup';

/**
 * The health indicators of this process by probe. Each feature's indicator registers itself when it is constructed, so
 * that a probe during the start finds all of them.
 */
@Injectable()
export class Probes {
  private readonly indicators: Record<ProbeName, HealthIndicatorFunction[]> = { live: [], ready: [], startup: [] };

  add(probe: ProbeName, indicator: HealthIndicatorFunction): void {
    this.indicators[probe].push(indicator);
  }

  of(probe: ProbeName): HealthIndicatorFunction[] {
    return this.indicators[probe];
  }
}
