import { hash, randomUUID } from 'node:crypto';

/** Number of hash slots over which tasks are spread; part of the stored data's format. */
export const SHARDS = 16;
/** The numbers of all shards. */
export const ALL_SHARDS: readonly number[] = Array.from({ length: SHARDS }, (_unused, shard) => shard);

/** Keys of artifacts in one call: some managed servers take at most 3,999 arguments, and Lua can pass on 8,000. */
export const MAX_LISTS = 3_000;

const TASK_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/**
 * All keys of tasks. Keys of one shard share a hash tag and so a slot of Redis Cluster; a task id is a UUID whose first
 * byte is its shard, so every key of a task follows from its id. Keys of one task extend the task's own key
 * (`…:history`, `…:journal` …).
 */
export class TaskKeys {
  /** Prefix of all keys of each shard: every call builds ten keys. */
  private readonly shards: readonly string[];

  constructor(private readonly prefix: string) {
    this.shards = ALL_SHARDS.map((shard) => `${prefix}:{s${shardName(shard)}}`);
  }

  /** The hash of a task (lua/lib/record/record.lua); also the channel of its events. */
  task(id: string): string {
    return `${this.shard(shardOf(id))}:task:${id}`;
  }

  /** List of a task: its messages after the first. TTL of the task. */
  history(id: string): string {
    return `${this.task(id)}:history`;
  }

  /** List of a task: states after the first, with their times, if there was more than one commit. TTL of the task. */
  states(id: string): string {
    return `${this.task(id)}:states`;
  }

  /** List of a task: an artifact's head, then its parts chunk by chunk. TTL of the task. */
  artifact(id: string, number: number): string {
    return `${this.task(id)}:artifact:${String(number)}`;
  }

  /** Hash of a task: the calls of its turns and their results (journal-entries.ts). TTL of the task. */
  journal(id: string): string {
    return `${this.task(id)}:journal`;
  }

  /** Hash of a task: state of its skill. TTL of the task. */
  state(id: string): string {
    return `${this.task(id)}:state`;
  }

  /** Hash of a task: values shared with its tree, '<turn>.<call>' → values written by that call. TTL of the task. */
  shared(id: string): string {
    return `${this.task(id)}:shared`;
  }

  /** Hash of a task: artifacts put for its tree, '<version>.<turn>:<name>' → parts. TTL of the task. */
  kept(id: string): string {
    return `${this.task(id)}:kept`;
  }

  /** Hash of a task: its later messages by id, to recognise repeats. TTL of the task. */
  messages(id: string): string {
    return `${this.task(id)}:messages`;
  }

  /** Hash of a task: its webhooks and their cursors. TTL of the task. */
  push(id: string): string {
    return `${this.task(id)}:push`;
  }

  /** List of a task: the last attempts of its webhooks. TTL one week. */
  attempts(id: string): string {
    return `${this.task(id)}:attempts`;
  }

  /** Hash of a task: the senders of the messages that continued it. TTL as that of the task. */
  senders(id: string): string {
    return `${this.task(id)}:senders`;
  }

  /** Hash of a task: its children and its fan-outs (lua/lib/tree/group.lua). TTL of the task. */
  children(id: string): string {
    return `${this.task(id)}:children`;
  }

  /**
   * List of a task: its children that wait for a slot in their fan-out, '<fan-out> <member of the queue>'. TTL of the
   * task.
   */
  held(id: string): string {
    return `${this.task(id)}:held`;
  }

  /** List of a task: progress of its children that is not in its log yet (lua/lib/tree/notes.lua). TTL of the task. */
  notes(id: string): string {
    return `${this.task(id)}:notes`;
  }

  /** Hash of a root: use of its tree's limits. TTL of the task. */
  tree(id: string): string {
    return `${this.task(id)}:tree`;
  }

  /** Hash of a root: task of its tree with open questions → time of the first (ms). TTL of the task. */
  questions(id: string): string {
    return `${this.task(id)}:questions`;
  }

  /** All keys that extend a task's key, given the number of its artifacts. */
  partsOf(id: string, artifacts: number): readonly string[] {
    const lists = Array.from({ length: Math.min(artifacts, MAX_LISTS) }, (_unused, at) => this.artifact(id, at + 1));
    const parts = [this.history(id), this.states(id), this.journal(id), this.state(id), this.shared(id)];
    const ofTree = [this.children(id), this.held(id), this.notes(id), this.tree(id), this.questions(id)];
    return [
      ...parts,
      this.kept(id),
      this.messages(id),
      this.senders(id),
      this.push(id),
      this.attempts(id),
      ...ofTree,
      ...lists,
    ];
  }

  /** The keys of its further artifacts, beyond those of `partsOf`: in groups of one call. */
  *furtherParts(id: string, artifacts: number): Generator<readonly string[]> {
    for (let from = MAX_LISTS; from < artifacts; from += MAX_LISTS) {
      const length = Math.min(MAX_LISTS, artifacts - from);
      yield Array.from({ length }, (_unused, at) => this.artifact(id, from + at + 1));
    }
  }

  /** Sorted set of a shard: open task → time of its next check (ms). No TTL: members are removed when tasks end. */
  due(shard: number): string {
    return `${this.shard(shard)}:due`;
  }

  dueOf(id: string): string {
    return this.due(shardOf(id));
  }

  /**
   * Sorted set of a shard: parked task → end of its wait (ms), as in `due`. No TTL: members are removed when they wake
   * or end.
   */
  parked(shard: number): string {
    return `${this.shard(shard)}:parked`;
  }

  /**
   * Sorted set of a shard: task whose open children must be canceled → time of that (ms). No TTL: members are removed
   * when that is done.
   */
  cascade(shard: number): string {
    return `${this.shard(shard)}:cascade`;
  }

  /**
   * Sorted set of a shard: open root with children → time of the first (ms). No TTL: members are removed when it ends.
   */
  trees(shard: number): string {
    return `${this.shard(shard)}:trees`;
  }

  /**
   * Sorted set of a shard: root whose open questions must be shown → when (ms). No TTL: members are removed when that
   * is done.
   */
  asking(shard: number): string {
    return `${this.shard(shard)}:asking`;
  }

  /**
   * List of a shard: published events that some subscriber lacks (published-event.ts). No TTL: entries are removed when
   * all have them.
   */
  published(shard: number): string {
    return `${this.shard(shard)}:published`;
  }

  /**
   * Hash of a tenant: its webhooks for published events, by their ids. No TTL: they stay until they or their client are
   * removed.
   */
  eventWebhooks(tenant: string): string {
    return `${this.shard(shardOfTenant(tenant))}:event-webhooks:${encodeURIComponent(tenant)}`;
  }

  /**
   * Hash of a tenant: values that its operators have set for its skills, by name. No TTL: they stay until operators
   * remove them.
   */
  operatorValues(tenant: string): string {
    return `${this.shard(shardOfTenant(tenant))}:operator-values:${encodeURIComponent(tenant)}`;
  }

  /** Hash of a shard: tokens and money used by a tenant, by day (lua/tree/reserve.lua). TTL two days. */
  spent(shard: number, tenant: string): string {
    return `${this.shard(shard)}:spent:${tenant}`;
  }

  /** Sorted set of a shard: ended task → time of its removal (ms). No TTL: members are removed with their tasks. */
  over(shard: number): string {
    return `${this.shard(shard)}:over`;
  }

  /**
   * Sorted set of a shard: its runs that wait for a worker, by position (lua/lib/queue/fair_queue.lua). No TTL: runs
   * leave when they begin.
   */
  fairQueue(shard: number): string {
    return `${this.shard(shard)}:line`;
  }

  /** The same for runs of skills that have a limit of their own. */
  limitedQueue(shard: number): string {
    return `${this.fairQueue(shard)}:limited`;
  }

  /** Hash of a shard: positions of its fair queues. No TTL: it is deleted when both are empty. */
  turns(shard: number): string {
    return `${this.shard(shard)}:turns`;
  }

  /** Fair queues of the shard of a task and their positions. */
  queuesOf(id: string): Readonly<Record<'queue' | 'limitedQueue' | 'turns', string>> {
    const shard = shardOf(id);
    return { queue: this.fairQueue(shard), limitedQueue: this.limitedQueue(shard), turns: this.turns(shard) };
  }

  /**
   * Sorted set: an owner's open tasks of a task's shard. No TTL: members are removed with their tasks, and empty sets
   * vanish.
   */
  open(id: string, owner: string): string {
    return this.openIn(shardOf(id), owner);
  }

  openIn(shard: number, owner: string): string {
    return `${this.shard(shard)}:open:${owner}`;
  }

  /** Sorted set: an owner's ended tasks of a task's shard. No TTL, likewise. */
  ended(id: string, owner: string): string {
    return this.endedIn(shardOf(id), owner);
  }

  endedIn(shard: number, owner: string): string {
    return `${this.shard(shard)}:ended:${owner}`;
  }

  /**
   * Sorted set of a shard: tasks of a tenant by state and time (lua/lib/record/rank.lua). No TTL: members are removed
   * with their tasks.
   */
  ofTenant(shard: number, tenant: string): string {
    return `${this.shard(shard)}:of:${encodeURIComponent(tenant)}`;
  }

  /** The same for the children of a tree; its name has a ':', unlike a tenant's. No TTL, likewise. */
  ofTree(shard: number, root: string): string {
    return `${this.shard(shard)}:of:tree:${root}`;
  }

  /**
   * Hash of a shard: number of tasks begun and per state, by skill. No TTL: one small hash that vanishes with the last
   * task.
   */
  counts(shard: number): string {
    return `${this.shard(shard)}:counts`;
  }

  /** Hash of a shard: stored bytes by tenant and by client. No TTL: fields are removed with the last task. */
  bytes(shard: number): string {
    return `${this.shard(shard)}:bytes`;
  }

  /** Sorted set of a shard: webhooks that are due. */
  outbox(shard: number): string {
    return `${this.shard(shard)}:pushes`;
  }

  /**
   * Dead letters of a shard and their times. TTL 30 days after the last; items are removed with their task, when
   * redriven, or after 30 days.
   */
  dead(shard: number): Readonly<Record<'dead' | 'deadTimes', string>> {
    return { dead: `${this.outbox(shard)}:dead`, deadTimes: `${this.outbox(shard)}:dead:at` };
  }

  /** The channel with hints about new entries in the outbox of a shard. */
  get hints(): string {
    return `${this.prefix}:pushes`;
  }

  /** The mark of a message that began a task. */
  sent(shard: number, digest: string): string {
    return `${this.shard(shard)}:sent:${digest}`;
  }

  /** The mark that `Replicas` writes in the slot of a task. TTL one minute. */
  markOf(id: string): string {
    return `${this.shard(shardOf(id))}:replicated`;
  }

  /** Hash: values of a context of one owner, by its name (`nameOfContext`). TTL a month longer than its retention. */
  context(name: string): string {
    return this.contextPrefix(shardOfContext(name)) + name;
  }

  /** The keys of a shard's contexts, up to the name. */
  contextPrefix(shard: number): string {
    return `${this.shard(shard)}:context:`;
  }

  /**
   * Sorted set of a shard: contexts with values → their expiry (ms). No TTL: members are removed with their contexts.
   */
  contexts(shard: number): string {
    return `${this.shard(shard)}:contexts`;
  }

  /** The channel of one process, for its own calls (api) or its own runs (worker). */
  process(id: string): string {
    return `${this.prefix}:process:${id}`;
  }

  /** The channel on which a worker process is woken for waiting runs. */
  wakeUps(processId: string): string {
    return `${this.prefix}:wake:${processId}`;
  }

  /** The channel on which a worker process receives cancels and messages for its runs. */
  runsOf(processId: string): string {
    return `${this.process(processId)}:runs`;
  }

  /** The task whose run blocks a worker, by its channel, once its lease is not renewed any more; '1': any of its runs. TTL a minute. */
  gaveUp(channel: string): string {
    return `${channel}:gave-up`;
  }

  /** Sorted set: worker process with free slots → until when it counts as idle (ms). TTL the latest of these. */
  get idleWorkers(): string {
    return `${this.prefix}:idle`;
  }

  /** Key prefix of a shard, including the hash tag. */
  shard(shard: number): string {
    return this.shards[shard] ?? `${this.prefix}:{s${shardName(shard)}}`;
  }
}

/** Name of a context's state, shared by one owner's tasks. */
export function nameOfContext(owner: string, contextId: string): string {
  return `${owner}:${contextId}`;
}

export function shardOfContext(name: string): number {
  return shardOfDigest(digestOf(name));
}

export function isTaskId(text: string): boolean {
  return TASK_ID.test(text) && shardOf(text) < SHARDS;
}

/** The shard with the webhooks for events and the operators' values of a tenant. */
function shardOfTenant(tenant: string): number {
  return shardOfDigest(digestOf(tenant, 'event-webhooks'));
}

/**
 * The id of a webhook's event log, which is stored like a task's. It is not a task id: no caller can read it as one.
 */
export function newEventLogId(tenant: string, unique: string): string {
  return `${shardName(shardOfTenant(tenant))}-events-${unique}`;
}

/** A new task id in a shard. */
export function newTaskId(shard: number): string {
  return shard.toString(16).padStart(2, '0') + randomUUID().slice(2);
}

/**
 * The id of a task named by its client, as 0.1 clients do (D01-01): always the same for the same owner and name, and
 * never that of another owner. In the shard of the digest, like the mark of a message.
 */
export function taskIdOfDigest(digest: string): string {
  const hex = Buffer.from(digest, 'base64url').toString('hex');
  const shard = shardOfDigest(digest).toString(16).padStart(2, '0');
  return `${shard}${hex.slice(2, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-a${hex.slice(15, 18)}-${hex.slice(18, 30)}`;
}

/** The id of a task's child by the turn and the name of its call: deterministic, and in its parent's shard. */
export function childIdOf(parent: string, turn: number, key: string): string {
  return parent.slice(0, 2) + taskIdOfDigest(digestOf(parent, 'child', String(turn), key)).slice(2);
}

export function shardOf(taskId: string): number {
  return Number.parseInt(taskId.slice(0, 2), 16);
}

/** The number of a shard as written in its keys. */
export function shardName(shard: number): string {
  return shard.toString(16).padStart(2, '0');
}

/** Equal parts give equal digests; the first byte selects the shard, so a repeated message finds its own mark. */
export function digestOf(...parts: readonly string[]): string {
  return hash('sha256', parts.map((part) => `${String(part.length)}:${part}`).join(''), 'base64url');
}

/** Three parts where a message's digest has four, so that no message id can collide with a client's task name. */
export function digestOfClientTask(owner: string, clientTaskId: string): string {
  return digestOf(owner, 'client-task', clientTaskId);
}

export function shardOfDigest(digest: string): number {
  return (Buffer.from(digest.slice(0, 4), 'base64url')[0] ?? 0) % SHARDS;
}

/** Distinguishes a run, or the writer of an event, from one with the same number after a failover that lost writes. */
export function newNonce(): string {
  // 48 random bits.
  const text = randomUUID();
  return text.slice(0, 8) + text.slice(9, 13);
}
