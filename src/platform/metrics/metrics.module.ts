import { Module } from '@nestjs/common';
import { Metrics } from './metrics.js';

/** Owns the Prometheus registry. Each feature adds its own metrics to it. */
@Module({ providers: [Metrics], exports: [Metrics] })
export class MetricsModule {}
