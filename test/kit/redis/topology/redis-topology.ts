/** Several Redis servers that stand for one another, with an address as REDIS_URL takes it. */
export interface RedisTopology {
  readonly url: string;
  /** A key prefix whose queue and some of whose tasks are on the primary that `lose` kills. */
  readonly keyPrefix: string;
  /** Kills a primary as a crash would. Its replica takes over some time later. */
  lose(): Promise<void>;
  /** Starts what was killed on its data; it comes back as a replica. */
  restore(): Promise<void>;
  stop(): Promise<void>;
}
