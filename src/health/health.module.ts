import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { HealthController } from './health.controller.js';

/** Owns the probes. */
@Module({ imports: [TerminusModule], controllers: [HealthController] })
export class HealthModule {}
