import type { DynamicModule, Type } from '@nestjs/common';
import type { ProgressWatchdog } from '../../platform/queue/progress-watchdog.js';

/** A module whose progress is part of the liveness probe, and the token of its watchdog. */
export interface WatchedModule {
  readonly module: DynamicModule;
  readonly watchdog: Type<ProgressWatchdog>;
}

/** The identity that a process registers. */
export interface HealthOptions {
  readonly keyPrefix: string;
  readonly role: string;
  readonly version: string;
  readonly watched: readonly WatchedModule[];
}

/** Injection token of the options. */
export const HealthOptions = Symbol('HealthOptions');

/** The watchdogs of this process, of type `readonly ProgressWatchdog[]`. */
export const WATCHDOGS = Symbol('WATCHDOGS');
