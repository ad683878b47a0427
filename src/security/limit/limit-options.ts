import { highestCost } from './rates/method-cost.js';
import { checkRate, type Rate } from './rates/rate.js';

/** All limits of the service. */
export interface LimitOptions {
  /** Begins every key. */
  readonly keyPrefix: string;
  /** How many replicas of the API run; used only while Redis cannot be reached. */
  readonly replicas: number;
  /** Per caller, for calls that change something. */
  readonly write: Rate;
  /** Per caller, for calls that only read. */
  readonly read: Rate;
  /** Per address, before the caller is known; absent means no such limit. */
  readonly address?: Rate;
  /** Per address, for refused credentials. */
  readonly failure: Rate;
  readonly quotas: QuotaOptions;
}

/** Injection token of the options. */
export const LimitOptions = Symbol('LimitOptions');

/** The most of each thing that may exist at once. */
export interface QuotaOptions {
  readonly liveTasksPerClient: number;
  readonly waitingTasksPerTenant: number;
  /** What stored tasks of a client, and of a tenant, may take. */
  readonly bytesPerClient: number;
  readonly bytesPerTenant: number;
  /** Those for streams and waiting calls count what one process has open. */
  readonly streamsPerClient: number;
  readonly streamsPerTenant: number;
  /** Calls that wait for their task or for a direct skill. */
  readonly waitingCallsPerClient: number;
  readonly waitingCallsPerTenant: number;
  /** Open streams and waiting calls together: both hold a connection. */
  readonly streamsPerProcess: number;
}

/** Throws an error that names the limit that cannot work, for the start of the service. */
export function checkLimitOptions(options: LimitOptions): void {
  checkRate(options.write, highestCost('write'));
  checkRate(options.read, highestCost('read'));
  checkRate(options.failure, 1);
  if (options.address !== undefined) checkRate(options.address, 1);
  if (!(options.replicas >= 1)) throw new Error('The number of replicas must be at least 1');
}
