import { Injectable } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { Probes } from '../../platform/health/probes.js';
import { Lifecycle } from './lifecycle.js';

/** Health indicator of the process itself: it answers, has started, and is not shutting down. */
@Injectable()
export class ProcessHealth {
  constructor(
    probes: Probes,
    private readonly indicator: HealthIndicatorService,
    private readonly lifecycle: Lifecycle,
  ) {
    probes.add('live', () => this.answers());
    probes.add('ready', () => this.takesCalls());
    probes.add('startup', () => this.hasStarted());
  }

  /** The answer itself shows that the event loop runs. */
  private answers(): HealthIndicatorResult {
    return this.indicator.check('process').up({ uptimeSeconds: Math.round(process.uptime()) });
  }

  private takesCalls(): HealthIndicatorResult {
    const session = this.indicator.check('process');
    const { stage } = this.lifecycle;
    return stage === 'serving' ? session.up({ stage }) : session.down({ stage, message: `The process is ${stage}` });
  }

  private hasStarted(): HealthIndicatorResult {
    const session = this.indicator.check('process');
    const { stage } = this.lifecycle;
    return stage === 'starting' ? session.down({ stage }) : session.up({ stage });
  }
}
