import { Inject, Injectable } from '@nestjs/common';
import { Json } from '../protocol/json.js';
import type { StreamResponse } from '../protocol/event.js';
import { CommandRedis } from '../platform/redis/connections.js';
import { shardOf, TaskKeys } from './task.keys.js';
import { TaskOptions } from './task.options.js';
import { TASK_SCRIPTS } from './task.scripts.js';

const PAGE = 100;

/** One event of a task, as every reader sees it. */
export interface LoggedEvent {
  /** 1, 2, 3 … within its task, without a gap. */
  readonly seq: number;
  /** Who wrote it; with `seq` it names the event even after a failover that lost writes. */
  readonly nonce: string;
  readonly event: Json<StreamResponse>;
}

/** The stored events of tasks. Knows no owners: whoever reads here has been let in before. */
@Injectable()
export class EventLog {
  private readonly keys: TaskKeys;

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(TaskOptions) options: TaskOptions,
  ) {
    this.keys = new TaskKeys(options.keyPrefix);
  }

  /** Up to `limit` events from `seq` on. Events that were trimmed are missing at the beginning. */
  async from(taskId: string, seq: number, limit: number): Promise<readonly LoggedEvent[]> {
    const entries = await this.redis.xrange(this.keys.events(taskId), `${String(seq)}-0`, '+', 'COUNT', limit);
    return entries.map(([id, fields]) => loggedEvent(id, fields));
  }

  /** Events from `seq` back to the beginning of the log. */
  async *backFrom(taskId: string, seq: number): AsyncGenerator<LoggedEvent, void, void> {
    for (let from = seq; from > 0;) {
      const page = await this.redis.xrevrange(this.keys.events(taskId), `${String(from)}-0`, '-', 'COUNT', PAGE);
      for (const [id, fields] of page) yield loggedEvent(id, fields);
      from -= PAGE;
      if (page.length < PAGE) return;
    }
  }

  /** The number of each task's latest event, 0 for a task that is gone: one round trip for all, a script for each shard. */
  async latest(taskIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const shards = new Map<number, string[]>();
    for (const id of taskIds) {
      const shard = shardOf(id);
      const ids = shards.get(shard) ?? [];
      ids.push(id);
      shards.set(shard, ids);
    }
    const latest = new Map<string, number>();
    const asked = [...shards.values()].map(async (ids) => {
      const keys = ids.map((id) => this.keys.task(id));
      const numbers = (await TASK_SCRIPTS.latest.run(this.redis, keys, [])) as readonly number[];
      ids.forEach((id, at) => latest.set(id, numbers[at] ?? 0));
    });
    await Promise.all(asked);
    return latest;
  }
}

function loggedEvent(id: string, fields: readonly string[]): LoggedEvent {
  const seq = Number(id.slice(0, id.indexOf('-')));
  const [, nonce = '', , body = ''] = fields;
  return { seq, nonce, event: Json.ofText(body) };
}
