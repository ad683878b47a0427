import { Inject, Injectable } from '@nestjs/common';
import type { RedisClient } from '../../platform/redis/connection/redis-client.js';
import { CommandRedis } from '../../platform/redis/connection/connections.js';
import { RedisClock } from '../../platform/redis/redis-clock.js';
import { tenantName } from '../record/task-record.js';
import { ALL_SHARDS, TaskKeys } from '../task.keys.js';
import { TaskOptions } from '../task.options.js';

export const DAY_MS = 86_400_000;

/** Used or reserved tokens of language models, and money in millionths. */
export interface Use {
  readonly tokens: number;
  readonly micros: number;
}

/** A tenant's use of language models on a day (UTC). */
interface DayUse extends Use {
  /** `2026-01-31`. */
  readonly day: string;
}

/** The use of all tasks of a tenant in the last two days, today first, and its daily limits. */
export interface TenantUse {
  readonly days: readonly DayUse[];
  /** Absent members: no limit. */
  readonly most: Partial<Use>;
}

/** Use of language models by tenants, for operators. */
@Injectable()
export class TenantUseReader {
  private readonly keys: TaskKeys;

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(TaskOptions) private readonly options: TaskOptions,
    private readonly clock: RedisClock,
  ) {
    this.keys = new TaskKeys(options.keyPrefix);
  }

  async of(tenant: string): Promise<TenantUse> {
    const today = Math.floor(this.clock.now() / DAY_MS);
    const days = [today, today - 1].map(async (day) => {
      const use = await useOfTenant(this.redis, this.keys, { tenant, day });
      return { day: new Date(day * DAY_MS).toISOString().slice(0, 10), ...use };
    });
    const { mostTenantTokens: tokens, mostTenantMicros: micros } = this.options;
    const most = { ...(tokens === undefined ? {} : { tokens }), ...(micros === undefined ? {} : { micros }) };
    return { days: await Promise.all(days), most };
  }
}

/**
 * Use and reservations of a tenant's tasks on a day.
 * @param shards shards to sum up; default: all
 */
export async function useOfTenant(
  redis: Pick<RedisClient, 'hmget'>,
  keys: TaskKeys,
  { tenant, day, shards = ALL_SHARDS }: { tenant: string; day: number; shards?: readonly number[] },
): Promise<Use> {
  const fields = ['tokens', 'micros'].map((what) => `${String(day)} ${what}`);
  const used = await Promise.all(shards.map((shard) => redis.hmget(keys.spent(shard, tenantName(tenant)), ...fields)));
  const sum = (at: number): number => used.reduce((total, values) => total + Number(values[at] ?? 0), 0);
  return { tokens: sum(0), micros: sum(1) };
}
