import { highestCost } from './rates/method-cost.js';
import { checkRate, type Rate } from './rates/rate.js';

/** All limits of the service. */
export interface LimitOptions {
  /** Prefix of every key. */
  readonly keyPrefix: string;
  /** Number of API replicas; used only while Redis is unreachable. */
  readonly replicas: number;
  /** Per caller, for calls that change state. */
  readonly write: Rate;
  /** Per caller, for calls that only read. */
  readonly read: Rate;
  /** Per address, before authentication; absent means no such limit. */
  readonly address?: Rate;
  /** Per address, for refused credentials. */
  readonly failure: Rate;
  readonly quotas: QuotaOptions;
}

/** Injection token of the options. */
export const LimitOptions = Symbol('LimitOptions');

/** Maximum numbers that may exist at once. */
export interface QuotaOptions {
  readonly liveTasksPerClient: number;
  readonly waitingTasksPerTenant: number;
  /** Bytes of the stored tasks of a client and of a tenant. */
  readonly bytesPerClient: number;
  readonly bytesPerTenant: number;
  /** Whether each user of a client is counted by itself in streams and waiting calls. */
  readonly countsUsers?: boolean;
  /** Streams and waiting calls are counted per process. */
  readonly streamsPerClient: number;
  readonly streamsPerTenant: number;
  /** Calls that wait for their task or for a direct skill. */
  readonly waitingCallsPerClient: number;
  readonly waitingCallsPerTenant: number;
  /** Open streams and waiting calls together: both hold a connection. */
  readonly streamsPerProcess: number;
}

/** @throws Error that names the unusable limit, at the start of the service */
export function checkLimitOptions(options: LimitOptions): void {
  checkRate(options.write, highestCost('write'));
  checkRate(options.read, highestCost('read'));
  checkRate(options.failure, 1);
  if (options.address !== undefined) checkRate(options.address, 1);
  if (!(options.replicas >= 1)) throw new Error('The number of replicas must be at least 1');
}
