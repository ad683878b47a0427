import type { RedisClient } from '../../platform/redis/redis-client.js';
import { literally, scanKeys } from '../../platform/redis/scan-keys.js';
import type { TaskState } from '../../protocol/task-state.js';
import { tenantName } from '../task-record.js';
import { redisNow } from '../../platform/redis/redis-clock.js';
import { ALL_SHARDS, isTaskId, shardOfContext, TaskKeys } from '../task.keys.js';
import { NET_MS, type TaskOptions } from '../task.options.js';
import { OldKeys } from './old-keys.js';
import { TaskMigration } from './task-migration.js';

/** Tasks that are worked on at once. */
const AT_ONCE = 32;

export interface MigrationSettings {
  readonly options: TaskOptions;
  /** Ids of skills that limit their runs at a time: these wait in a queue of their own. */
  readonly limited: ReadonlySet<string>;
  /** Prefixes of the keys of job queues: what schema 2 has queued there is worked out from the tasks. */
  readonly jobPrefixes: readonly string[];
  /** Reads and converts everything, and writes nothing. */
  readonly isDryRun: boolean;
  /** Called for each task. A rejection ends the migration: what was brought over stays. */
  readonly onTask?: (done: MigrationCount) => Promise<void>;
}

/** The tasks that were brought over. */
export interface MigrationCount {
  tasks: number;
  /** Runs that wait in the fair queues. */
  waiting: number;
  readonly states: Partial<Record<TaskState, number>>;
}

/**
 * Migrates stored data from schema 2 to schema 3. No other process may use the data meanwhile. Can be repeated after any crash: what
 * was brought over is recognised.
 */
export class StoreMigration {
  private readonly keys: TaskKeys;
  private readonly oldKeys: OldKeys;

  constructor(
    private readonly redis: RedisClient,
    private readonly settings: MigrationSettings,
  ) {
    this.keys = new TaskKeys(settings.options.keyPrefix);
    this.oldKeys = new OldKeys(this.keys);
  }

  /** The number of tasks that are still of schema 2. */
  async left(): Promise<number> {
    const counts = await Promise.all(ALL_SHARDS.map((shard) => this.redis.hvals(this.oldKeys.counts(shard))));
    return counts.flat().reduce((sum, count) => sum + Number(count), 0);
  }

  async run(): Promise<MigrationCount> {
    const count: MigrationCount = { tasks: 0, waiting: 0, states: {} };
    const { isDryRun } = this.settings;
    if (!isDryRun) await Promise.all(ALL_SHARDS.map((shard) => this.convertQueue(shard)));
    await this.migrateTasks(count);
    if (isDryRun) return count;
    await this.migrateContexts();
    await Promise.all(ALL_SHARDS.map((shard) => this.dropEmptyQueue(shard)));
    await this.dropLeftovers();
    return count;
  }

  private async migrateTasks(count: MigrationCount): Promise<void> {
    const { options, limited, isDryRun, onTask } = this.settings;
    const now = await redisNow(this.redis);
    const target = { keys: this.keys, oldKeys: this.oldKeys, options, limited, now };
    const migration = new TaskMigration(this.redis, target);
    const ids = this.taskIds();
    const work = async (): Promise<void> => {
      for (let next = await ids.next(); next.done !== true; next = await ids.next()) {
        const task = await migration.migrate(next.value, isDryRun);
        if (task === undefined) continue;
        count.tasks += 1;
        if (task.position !== undefined) count.waiting += 1;
        count.states[task.state] = (count.states[task.state] ?? 0) + 1;
        await onTask?.(count);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }

  /** The state of contexts was in slots of its own and not counted. Its accounts become known with the next write. */
  private async migrateContexts(): Promise<void> {
    const prefix = this.oldKeys.context;
    for await (const key of scanKeys(this.redis, `${literally(prefix)}*`)) {
      const [values, ttl, now] = await Promise.all([
        this.redis.hgetall(key),
        this.redis.pttl(key),
        redisNow(this.redis),
      ]);
      if (ttl > 0) await this.writeContext(key.slice(prefix.length), values, { ttl, now });
      await this.redis.unlink(key);
    }
  }

  private async writeContext(
    name: string,
    values: Readonly<Record<string, string>>,
    { ttl, now }: { readonly ttl: number; readonly now: number },
  ): Promise<void> {
    const entries = Object.entries(values);
    const bytes = Buffer.byteLength(entries.flat().join(''));
    const fields = entries.flatMap(([field, value]) => [`v:${field}`, value]);
    // Nothing of this is different when it is done again.
    await this.redis.hset(this.keys.context(name), 'b', bytes, ...fields);
    await this.redis.pexpire(this.keys.context(name), ttl + NET_MS);
    await this.redis.zadd(this.keys.contexts(shardOfContext(name)), now + ttl, name);
  }

  /** The ids of all stored tasks; some may come twice. */
  private async *taskIds(): AsyncGenerator<string, void, void> {
    for await (const key of scanKeys(this.redis, this.oldKeys.everyTask)) {
      const id = key.slice(key.lastIndexOf(':') + 1);
      if (isTaskId(id)) yield id;
    }
  }

  /** The queue was a hash with the positions; the runs stood in their tasks. Now it is a sorted set, and positions are apart. */
  private async convertQueue(shard: number): Promise<void> {
    const queue = this.keys.fairQueue(shard);
    if ((await this.redis.type(queue)) !== 'hash') return;
    const { all: _all, ...positions } = await this.redis.hgetall(queue);
    const fields = Object.entries(positions).flatMap(([name, position]) => [
      name.startsWith('last:') ? `last:${tenantName(name.slice('last:'.length))}` : name,
      position,
    ]);
    const change = this.redis.multi().del(queue);
    await (fields.length === 0 ? change : change.hset(this.keys.turns(shard), ...fields)).exec();
  }

  private async dropEmptyQueue(shard: number): Promise<void> {
    const waiting = await this.redis.exists(this.keys.fairQueue(shard), this.keys.limitedQueue(shard));
    if (waiting === 0) await this.redis.del(this.keys.turns(shard));
  }

  /** Counts and lists of schema 2, and its jobs: runs are in the fair queues now, deliveries in their outboxes. */
  private async dropLeftovers(): Promise<void> {
    await Promise.all(ALL_SHARDS.map((shard) => this.redis.unlink(this.oldKeys.counts(shard))));
    const jobs = this.settings.jobPrefixes.map((prefix) => `${literally(prefix)}:*`);
    for (const pattern of [this.oldKeys.everyList, ...jobs]) {
      for await (const key of scanKeys(this.redis, pattern)) await this.redis.unlink(key);
    }
  }
}
