import { type AbstractConnector, type SentinelConnectionOptions, SentinelConnector } from 'ioredis';

interface Watching {
  readonly failoverDetector: { cleanup(): void } | null;
}

/**
 * Connects to the primary that the Sentinels name. Its detector of failovers, which has the connection leave a primary that was
 * replaced, ends before each new attempt: one that lives on would cancel the attempt, and ioredis never tries again after that.
 */
export class PrimaryConnector extends SentinelConnector {
  /** @param options those of the connection, as ioredis hands them to a connector */
  constructor(options: unknown) {
    super(options as SentinelConnectionOptions);
  }

  override connect(...parameters: Parameters<SentinelConnector['connect']>): ReturnType<AbstractConnector['connect']> {
    // ioredis keeps it private.
    (this as unknown as Watching).failoverDetector?.cleanup();
    return super.connect(...parameters);
  }
}
