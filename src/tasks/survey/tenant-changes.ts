import { Inject, Injectable } from '@nestjs/common';
import { CommandRedis } from '../../platform/redis/connection/connections.js';
import { isCrossSlot } from '../../platform/redis/connection/cross-slot.js';
import { TASK_STATES, type TaskState } from '@parley/protocol/model/task-state.js';
import { padded } from '../../platform/redis/redis-clock.js';
import type { ScriptArgs } from '../../platform/redis/script/redis-script.js';
import { ALL_SHARDS, TaskKeys } from '../task.keys.js';
import { TaskOptions } from '../task.options.js';
import { SURVEY_SCRIPTS } from './survey.scripts.js';

/** A task and its score in the index of its tenant; another score means another status. */
export interface ChangedTask {
  readonly id: string;
  /** State and time of the status as one number, as in the index. */
  readonly score: string;
  /** Time of the status, ms since 1970. */
  readonly ms: number;
}

/** The changes in the index of a tenant's tasks. */
export interface TenantChanges {
  /** Number of tasks per state. */
  readonly states: Readonly<Partial<Record<TaskState, number>>>;
  /** Tasks with a status of the requested time or later, the youngest first. */
  readonly changed: readonly ChangedTask[];
}

/** 13 digits of milliseconds and the zero before them (lua/lib/record/rank.lua). */
const DIGIT = 1e14;

/**
 * Reads the changed tasks of a tenant from its index, which has an entry per task: writers have no extra cost, nothing
 * is published, and nothing can be lost.
 */
@Injectable()
export class TenantChangesReader {
  private readonly keys: TaskKeys;
  /** Whether scripts cannot read several shards, as in a Cluster; learnt from its reply. */
  private isApart = false;

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(TaskOptions) options: TaskOptions,
  ) {
    this.keys = new TaskKeys(options.keyPrefix);
  }

  /** @param since ms since 1970 @param most tasks of one state in one shard */
  async since(tenant: string, since: number, most: number): Promise<TenantChanges> {
    const args = { since: padded(Math.max(0, since)), maxTasks: most };
    return changesOf(await this.ask(tenant, args));
  }

  /** One script on a single server; on a Cluster one per shard. */
  private async ask(tenant: string, args: Window): Promise<readonly Reply[]> {
    if (!this.isApart) {
      try {
        return [await this.askShards(tenant, ALL_SHARDS, args)];
      } catch (error) {
        if (!isCrossSlot(error)) throw error;
        this.isApart = true;
      }
    }
    return Promise.all(ALL_SHARDS.map((shard) => this.askShards(tenant, [shard], args)));
  }

  private async askShards(tenant: string, shards: readonly number[], args: Window): Promise<Reply> {
    const tenantTasks = shards.map((shard) => this.keys.ofTenant(shard, tenant));
    return (await SURVEY_SCRIPTS.changes.run(this.redis, { tenantTasks }, args)) as Reply;
  }
}

/** Start of the window, and maximum tasks per state. */
type Window = ScriptArgs<typeof SURVEY_SCRIPTS.changes>;

type Reply = readonly (number | string)[];

function changesOf(replies: readonly Reply[]): TenantChanges {
  const counts = TASK_STATES.map((state, at) => {
    const count = replies.reduce((sum, reply) => sum + Number(reply[at] ?? 0), 0);
    return [state, count] as const;
  });
  const changed = replies.flatMap((reply) => changedIn(reply.slice(TASK_STATES.length).map(String)));
  return {
    states: Object.fromEntries(counts.filter(([, count]) => count > 0)),
    changed: changed.sort((one, other) => other.ms - one.ms),
  };
}

function changedIn(flat: readonly string[]): readonly ChangedTask[] {
  return Array.from({ length: flat.length / 2 }, (_unused, at) => {
    const [id = '', score = ''] = [flat[2 * at], flat[2 * at + 1]];
    return { id, score, ms: Number(score) % DIGIT };
  });
}
