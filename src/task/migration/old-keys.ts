import { shardOf, type TaskKeys } from '../task.keys.js';
import type { OldTask } from './old-task.js';

/** Keys of schema 2 that this code does not have any more. The others have kept their names. */
export class OldKeys {
  constructor(private readonly keys: TaskKeys) {}

  /** Stream of a task: its events. */
  events(id: string): string {
    return `${this.keys.task(id)}:events`;
  }

  /** Hash of a task: results of the steps of its turn. */
  steps(id: string): string {
    return `${this.keys.task(id)}:steps`;
  }

  /** Hash of a shard: how many tasks are in which state, by skill. */
  counts(shard: number): string {
    return `${this.keys.shard(shard)}:index-counts`;
  }

  /** The lists in which a task is found. */
  lists({ id, owner, context, state }: OldTask): readonly string[] {
    const all = `${this.keys.shard(shardOf(id))}:index:${owner}`;
    return [all, `${all}:c:${context}`, `${all}:s:${state}`, `${all}:b:${state}:${context}`];
  }

  /** The key of the state of a context, without its name. */
  get context(): string {
    return this.keys.shard(0).replace(/\{s00\}$/, 'context:');
  }

  /** A pattern for the lists of all shards. */
  get everyList(): string {
    return `${this.keys.shard(0).replace('{s00}', '{s??}')}:index:*`;
  }

  /** A pattern for the keys of all tasks. */
  get everyTask(): string {
    return `${this.keys.shard(0).replace('{s00}', '{s??}')}:task:*`;
  }
}
