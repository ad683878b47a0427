import { hash, randomUUID } from 'node:crypto';

/** Tasks are spread over this many hash slots; part of the stored data's shape. */
export const SHARDS = 16;

const TASK_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/**
 * All keys of tasks. Keys of one shard share a hash tag and so a slot of Redis Cluster; a task id is a UUID whose first
 * byte is its shard, so every key of a task follows from its id. What belongs to one task hangs on the task's own key
 * (`…:history`, `…:events` …; the scripts name them).
 */
export class TaskKeys {
  constructor(private readonly prefix: string) {}

  /** The hash of a task; also the channel of its events. */
  task(id: string): string {
    return `${this.shard(shardOf(id))}:task:${id}`;
  }

  events(id: string): string {
    return `${this.task(id)}:events`;
  }

  steps(id: string): string {
    return `${this.task(id)}:steps`;
  }

  state(id: string): string {
    return `${this.task(id)}:state`;
  }

  /** Who sent the messages that continued a task. TTL as long as an unanswered task is kept. */
  senders(id: string): string {
    return `${this.task(id)}:senders`;
  }

  /** Sorted set of a shard: task id → when the sweep must look at it (ms). No TTL: members leave when tasks are purged. */
  due(shard: number): string {
    return `${this.shard(shard)}:due`;
  }

  dueOf(id: string): string {
    return this.due(shardOf(id));
  }

  /** Hash of a shard: its runs in line, see lib/line.lua. No TTL: it goes when the line is empty. */
  line(shard: number): string {
    return `${this.shard(shard)}:line`;
  }

  /** What the ListTasks sets of a shard begin with. No TTL: members leave with their tasks, and empty sets vanish. */
  index(shard: number): string {
    return `${this.shard(shard)}:index`;
  }

  /** How many tasks of a shard are in which state, by skill. No TTL: one small hash that vanishes with the last task. */
  counts(shard: number): string {
    return `${this.index(shard)}-counts`;
  }

  /** The mark of a message that began a task. */
  sent(shard: number, digest: string): string {
    return `${this.shard(shard)}:sent:${digest}`;
  }

  /** What `Replicas` writes in the slot of a task. TTL one minute. */
  markOf(id: string): string {
    return `${this.shard(shardOf(id))}:replicated`;
  }

  /** Values kept for a context of one owner. Lives in a slot of its own, beside no task. */
  context(owner: string, contextId: string): string {
    return `${this.prefix}:context:${owner}:${contextId}`;
  }

  /** The channel on which one process hears of its own calls (api) or of its own runs (worker). */
  process(id: string): string {
    return `${this.prefix}:process:${id}`;
  }

  /** What the keys of a shard begin with, hash tag included. */
  shard(shard: number): string {
    return `${this.prefix}:{s${shard.toString(16).padStart(2, '0')}}`;
  }
}

export function isTaskId(text: string): boolean {
  return TASK_ID.test(text) && shardOf(text) < SHARDS;
}

/** A new task id in a shard. */
export function newTaskId(shard: number): string {
  return shard.toString(16).padStart(2, '0') + randomUUID().slice(2);
}

/**
 * The id of the task that a client named itself, as 0.1 clients do (D01-01): always the same for the same owner and
 * name, and never the one of another owner. In the shard of the digest, like the mark of a message.
 */
export function taskIdOfDigest(digest: string): string {
  const hex = Buffer.from(digest, 'base64url').toString('hex');
  const shard = shardOfDigest(digest).toString(16).padStart(2, '0');
  return `${shard}${hex.slice(2, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-a${hex.slice(15, 18)}-${hex.slice(18, 30)}`;
}

export function shardOf(taskId: string): number {
  return Number.parseInt(taskId.slice(0, 2), 16);
}

/** The same parts give the same digest; its first byte picks the shard, so a repeated message meets its own mark. */
export function digestOf(...parts: readonly string[]): string {
  return hash('sha256', parts.map((part) => `${String(part.length)}:${part}`).join(''), 'base64url');
}

/** Three parts where a message's digest has two, so that no message id can be taken for a client's task name. */
export function digestOfClientTask(owner: string, clientTaskId: string): string {
  return digestOf(owner, 'client-task', clientTaskId);
}

export function shardOfDigest(digest: string): number {
  return (Buffer.from(digest.slice(0, 4), 'base64url')[0] ?? 0) % SHARDS;
}

/** Tells a run, or an event's writer, from one with the same number after a failover that lost writes. */
export function newNonce(): string {
  // 48 random bits; unlike single random bytes, these come from a buffer that is filled for many at once.
  const text = randomUUID();
  return text.slice(0, 8) + text.slice(9, 13);
}
