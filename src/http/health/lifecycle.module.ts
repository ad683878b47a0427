import { Module } from '@nestjs/common';
import { Lifecycle } from './lifecycle.js';

/** Owns the phase of the process. */
@Module({ providers: [Lifecycle], exports: [Lifecycle] })
export class LifecycleModule {}
