import type { DynamicModule, Type } from '@nestjs/common';
import type { ProgressWatchdog } from '../../platform/queue/progress-watchdog.js';

/** A module whose progress decides about the life of its process, and what it exports for that. */
export interface WatchedModule {
  readonly module: DynamicModule;
  readonly watchdog: Type<ProgressWatchdog>;
}

/** Who a process is, as it says of itself. */
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
