import { Redis } from 'ioredis';
import type { RedisClient } from './redis-client.js';

/** Which writes count as made. */
export interface ReplicaOptions {
  /** Replicas that must have a write before it is acknowledged; 0 asks none. */
  readonly replicas: number;
  /** How long they may take, ms. */
  readonly waitMs: number;
}

/** A write was made, and too few replicas have it: a failover now might lose it. */
export class NotReplicated extends Error {
  override readonly name = 'NotReplicated';
}

/** The numbers of the tasks of one round, in the order in which they joined it. */
interface Round {
  readonly tasks: string[];
  readonly seqs: Promise<readonly number[]>;
}

/** The mark lives only for as long as it takes to replicate it. */
const MARK_TTL_MS = 60_000;

/**
 * Waits for replicas. A mark is written and `WAIT` follows it on a connection of its own, which covers everything that
 * was written to that primary before; so all who ask while one round is under way share the next. What a round finds of
 * their tasks is read after it, since a failover meanwhile may have brought a primary that never saw the write.
 */
export class Replicas {
  private readonly joining = new Map<string, Round>();
  private readonly latest = new Map<string, Promise<unknown>>();

  /** @param redis undefined where no replica is waited for */
  constructor(
    private readonly redis: RedisClient | undefined,
    private readonly options: ReplicaOptions,
  ) {}

  /** Where nothing is replicated, or nobody waits for it. */
  static none(): Replicas {
    return new Replicas(undefined, { replicas: 0, waitMs: 0 });
  }

  /**
   * Resolves once enough replicas have a task as far as its event `seq`. Throws `NotReplicated` when they have not in
   * time, and what the connection throws.
   * @param mark a key of the task's slot that is free for this use
   */
  async confirm(mark: string, task: string, seq: number): Promise<void> {
    if (this.redis === undefined) return;
    const round = this.roundOf(this.redis, mark);
    const at = round.tasks.push(task) - 1;
    const found = (await round.seqs)[at] ?? 0;
    if (found < seq) throw new NotReplicated('A failover has lost the write');
  }

  disconnect(): void {
    this.redis?.disconnect();
  }

  /** The round of a primary that has not begun; only a Cluster has more than one primary. */
  private roundOf(redis: RedisClient, mark: string): Round {
    const place = redis instanceof Redis ? '' : mark;
    const joined = this.joining.get(place);
    if (joined !== undefined) return joined;
    const before = this.latest.get(place) ?? Promise.resolve();
    const tasks: string[] = [];
    const begin = (): Promise<readonly number[]> => {
      this.joining.delete(place);
      return this.run(redis, mark, tasks);
    };
    const round = { tasks, seqs: before.then(begin, begin) };
    this.joining.set(place, round);
    this.latest.set(place, round.seqs);
    return round;
  }

  private async run(redis: RedisClient, mark: string, tasks: readonly string[]): Promise<readonly number[]> {
    const { replicas, waitMs } = this.options;
    const steps = redis.pipeline().set(mark, '', 'PX', MARK_TTL_MS).wait(replicas, waitMs);
    for (const task of tasks) steps.hget(task, 'seq');
    const [, waited, ...reads] = valuesOf(await steps.exec());
    if (Number(waited) < replicas) throw new NotReplicated(`${String(waited)} of ${String(replicas)} replicas have it`);
    return reads.map(Number);
  }
}

/** @throws the first error of a pipeline */
function valuesOf(replies: readonly (readonly [Error | null, unknown])[] | null): readonly unknown[] {
  return (replies ?? []).map(([error, value]) => {
    if (error !== null) throw error;
    return value;
  });
}
