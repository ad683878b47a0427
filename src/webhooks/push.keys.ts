import type { EndpointKeys } from '../platform/breaker/endpoint-breaker.js';
import { digestOf, shardName, shardOf, TaskKeys } from '../tasks/task.keys.js';

/** All keys of webhooks. Keys of one task extend the task's key, in its slot. */
export class PushKeys {
  private readonly tasks: TaskKeys;

  constructor(private readonly prefix: string) {
    this.tasks = new TaskKeys(prefix);
  }

  task(taskId: string): string {
    return this.tasks.task(taskId);
  }

  /** Hash of a task: its webhooks and their cursors. Shares the task's TTL. */
  push(taskId: string): string {
    return `${this.tasks.task(taskId)}:push`;
  }

  /** A pattern for the hashes of all tasks, for operators. */
  get everyPush(): string {
    return `${this.tasks.shard(0).replace('{s00}', '{s??}')}:task:*:push`;
  }

  /** The mark that `Replicas` writes in the slot of a task. */
  markOf(taskId: string): string {
    return this.tasks.markOf(taskId);
  }

  /** List of a task: its last attempts. TTL one week after the last of them. */
  attempts(taskId: string): string {
    return `${this.tasks.task(taskId)}:attempts`;
  }

  /** Sorted set of a shard: `<task id> <config id>` → time of its next check. No TTL: members are removed when done. */
  outbox(shard: number): string {
    return `${this.tasks.shard(shard)}:pushes`;
  }

  /** The task, its push hash, its outbox and the stored bytes of its client: the keys of scripts that move a cursor. */
  cursor(taskId: string): Readonly<Record<'task' | 'push' | 'outbox' | 'bytes', string>> {
    const shard = shardOf(taskId);
    return {
      task: this.task(taskId),
      push: this.push(taskId),
      outbox: this.outbox(shard),
      bytes: this.tasks.bytes(shard),
    };
  }

  /** The channel on which dispatchers receive the shard of a new outbox entry. */
  hintOf(taskId: string): Readonly<Record<'hints' | 'shard', string>> {
    return { hints: this.hints, shard: shardName(shardOf(taskId)) };
  }

  dead(shard: number): Readonly<Record<'dead' | 'deadTimes', string>> {
    return this.tasks.dead(shard);
  }

  deadOf(taskId: string): Readonly<Record<'dead' | 'deadTimes', string>> {
    return this.dead(shardOf(taskId));
  }

  /** The channel with hints about new entries in a shard's outbox. */
  get hints(): string {
    return `${this.prefix}:pushes`;
  }

  /** State of an endpoint and its attempts, and the attempts of its tenant: one slot per tenant. */
  endpoint(tenant: string, origin: string): EndpointKeys {
    const base = `${this.prefix}:{w${digestOf(tenant).slice(0, 16)}}:endpoint`;
    const endpoint = `${base}:${digestOf(origin).slice(0, 16)}`;
    return { endpoint, attempts: `${endpoint}:now`, groupAttempts: `${base}s:now` };
  }

  /** The encrypted secrets of a client, if it has its own. No TTL: they stay until the operator removes them. */
  secrets(tenant: string, client: string): string {
    return `${this.secretsOfClients}${encodeURIComponent(tenant)}:${encodeURIComponent(client)}`;
  }

  /** A pattern for the secrets of all clients, for operators. */
  get everySecrets(): string {
    return `${this.secretsOfClients}*`;
  }

  /** The owner of the secrets in a key of `everySecrets`. */
  clientOf(key: string): { readonly tenant: string; readonly client: string } {
    const [tenant = '', client = ''] = key.slice(this.secretsOfClients.length).split(':').map(decodeURIComponent);
    return { tenant, client };
  }

  private get secretsOfClients(): string {
    return `${this.prefix}:webhook-secrets:`;
  }
}
