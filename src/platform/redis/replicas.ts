import { Redis } from 'ioredis';
import type { RedisClient } from './connection/redis-client.js';

/** Durability of acknowledged writes. */
export interface ReplicaOptions {
  /** Replicas that must have a write before it is acknowledged; 0 for none. */
  readonly replicas: number;
  /** Timeout of the acknowledgement, ms. */
  readonly waitMs: number;
}

/** The primary has the write, but too few replicas do: a failover now might lose it. */
export class NotReplicated extends Error {
  override readonly name = 'NotReplicated';
}

/** A hash, and the fields that show whether a write is there. */
interface Asked {
  readonly key: string;
  readonly fields: readonly string[];
}

/** The marks of one round, in joining order. */
interface Round {
  readonly asked: Asked[];
  readonly found: Promise<readonly (readonly (string | null)[])[]>;
}

/** Long enough to replicate the mark. */
const MARK_TTL_MS = 60_000;

/**
 * Waits for replicas. A round writes a mark and then sends `WAIT` on its own connection, which covers all earlier
 * writes to that primary. All callers that arrive during one round share the next. The marks are read again after the
 * round, since a failover meanwhile may have promoted a primary without the write.
 */
export class Replicas {
  private readonly joining = new Map<string, Round>();
  private readonly latest = new Map<string, Promise<unknown>>();

  /** @param redis undefined without replicas to wait for */
  constructor(
    private readonly redis: RedisClient | undefined,
    private readonly options: ReplicaOptions,
  ) {}

  /** For a Redis without replicas, or with REDIS_WAIT_REPLICAS=0. */
  static none(): Replicas {
    return new Replicas(undefined, { replicas: 0, waitMs: 0 });
  }

  /** Whether writes wait for replicas. */
  get areAsked(): boolean {
    return this.redis !== undefined;
  }

  /**
   * Resolves once enough replicas have a write to a hash. Throws `NotReplicated` on a timeout, and errors of the
   * connection.
   * @param mark a free key in the hash's slot
   * @param isThere checks the values of the fields
   */
  async confirm(mark: string, asked: Asked, isThere: (values: readonly (string | null)[]) => boolean): Promise<void> {
    if (this.redis === undefined) return;
    const round = this.roundOf(this.redis, mark);
    const at = round.asked.push(asked) - 1;
    const values = (await round.found)[at] ?? [];
    if (!isThere(values)) throw new NotReplicated('A failover has lost the write');
  }

  disconnect(): void {
    this.redis?.disconnect();
  }

  /** The next round of a primary; only a Cluster has more than one primary. */
  private roundOf(redis: RedisClient, mark: string): Round {
    const place = redis instanceof Redis ? '' : mark;
    const joined = this.joining.get(place);
    if (joined !== undefined) return joined;
    const before = this.latest.get(place) ?? Promise.resolve();
    const asked: Asked[] = [];
    const begin = (): Round['found'] => {
      this.joining.delete(place);
      return this.run(redis, mark, asked);
    };
    const round = { asked, found: before.then(begin, begin) };
    this.joining.set(place, round);
    this.latest.set(place, round.found);
    return round;
  }

  private async run(redis: RedisClient, mark: string, asked: readonly Asked[]): Round['found'] {
    const { replicas, waitMs } = this.options;
    const steps = redis.pipeline().set(mark, '', 'PX', MARK_TTL_MS).wait(replicas, waitMs);
    for (const { key, fields } of asked) steps.hmget(key, ...fields);
    const [, waited, ...reads] = valuesOf(await steps.exec());
    if (Number(waited) < replicas) throw new NotReplicated(`${String(waited)} of ${String(replicas)} replicas have it`);
    return reads as (string | null)[][];
  }
}

/** @throws the first error of a pipeline */
function valuesOf(replies: readonly (readonly [Error | null, unknown])[] | null): readonly unknown[] {
  return (replies ?? []).map(([error, value]) => {
    if (error !== null) throw error;
    return value;
  });
}
