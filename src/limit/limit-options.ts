import { highestCost } from './method-cost.js';
import { checkRate, type Rate } from './rate.js';

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

/** The most of each thing that may exist at once. */
export interface QuotaOptions {
  readonly liveTasksPerClient: number;
  readonly waitingTasksPerTenant: number;
  readonly pushConfigsPerTask: number;
  /** The three for streams count those of one process. */
  readonly streamsPerClient: number;
  readonly streamsPerTenant: number;
  readonly streamsPerProcess: number;
}

/** The limits that hold when nothing else is set. */
export const DEFAULT_LIMITS: Omit<LimitOptions, 'keyPrefix' | 'replicas'> = {
  write: { name: 'write', limit: 3_000, periodSeconds: 60, burst: 1_000 },
  read: { name: 'read', limit: 6_000, periodSeconds: 60, burst: 1_000 },
  address: { name: 'address', limit: 12_000, periodSeconds: 60, burst: 2_000 },
  failure: { name: 'failure', limit: 20, periodSeconds: 60, burst: 20 },
  quotas: {
    liveTasksPerClient: 1_000,
    waitingTasksPerTenant: 10_000,
    pushConfigsPerTask: 10,
    streamsPerClient: 20,
    streamsPerTenant: 200,
    streamsPerProcess: 2_000,
  },
};

/** Throws an error that names the limit that cannot work, for the start of the service. */
export function checkLimitOptions(options: LimitOptions): void {
  checkRate(options.write, highestCost('write'));
  checkRate(options.read, highestCost('read'));
  checkRate(options.failure, 1);
  if (options.address !== undefined) checkRate(options.address, 1);
  if (!(options.replicas >= 1)) throw new Error('The number of replicas must be at least 1');
}
