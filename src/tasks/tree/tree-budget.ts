import type { RunRedis } from '../../platform/redis/connection/connections.js';
import type { ClaimedRun } from '../commit/claimed-run.js';
import { tenantName } from '../record/task-record.js';
import { ALL_SHARDS, shardOf, type TaskKeys } from '../task.keys.js';
import { childTtlOf, type TaskOptions } from '../task.options.js';
import { TASK_SCRIPTS } from '../task.scripts.js';
import { DAY_MS, type Use, useOfTenant } from '../lists/tenant-use.js';

/** More than any limit; Redis counts in 64 bits. */
const NO_LIMIT = 2 ** 52;

/** Tokens of a language model requested by a call. */
export interface WantedTokens {
  /** Unique to the call of this run: a repeat counts once. */
  readonly id: string;
  readonly most: number;
  /** With fewer, the call is useless. */
  readonly least: number;
  /** Maximum money per token, in millionths. */
  readonly micros: number;
}

/** The limit that refuses a call. */
export type BudgetLimit = 'tokens' | 'money' | 'calls' | 'tenant-tokens' | 'tenant-money';

export type Reservation =
  | {
      readonly kind: 'reserved';
      readonly tokens: number;
      /** The part of its daily budget used by the tenant before, from 0 to 1; absent without a budget. */
      readonly ofTenant?: number;
      readonly settle: (used: UsedTokens) => Promise<void>;
    }
  /** Nothing was reserved. `most`: the limit of a tree. */
  | { readonly kind: 'spent'; readonly limit: BudgetLimit; readonly most: number };

/** The use of a call. */
export interface UsedTokens {
  /** Tokens of its prompt and of its answer. */
  readonly input: number;
  readonly output: number;
  /** Tokens of the prompt that came from the provider's cache: they cost money, and no tokens. */
  readonly cached?: number;
  /** Millionths. */
  readonly micros: number;
}

/**
 * Budgets of tokens and money: of a tree for its whole life, of a tenant per day (UTC). Reserved before use, so that
 * concurrent calls cannot exceed them together.
 */
export class TreeBudget {
  constructor(
    private readonly redis: RunRedis,
    private readonly keys: TaskKeys,
    private readonly options: TaskOptions,
    private readonly now: () => number,
  ) {}

  async reserve(run: ClaimedRun, { id, most, least, micros }: WantedTokens): Promise<Reservation> {
    const { mostTreeTokens, mostTreeMicros = NO_LIMIT, mostTreeCalls } = this.options;
    const day = Math.floor(this.now() / DAY_MS);
    const name = `${run.taskId}:${String(run.fence)}:${id}`;
    const keys = this.keysOf(run);
    const elsewhere = await this.leftToTenant(run, day);
    const reply = (await TASK_SCRIPTS.reserve.run(this.redis, keys, {
      ...{ id: name, wanted: Math.floor(most), least: Math.ceil(least), price: micros, day },
      ...{ maxTokens: mostTreeTokens, maxMicros: mostTreeMicros, maxCalls: mostTreeCalls },
      ...{ tenantTokens: elsewhere.tokens, tenantMicros: elsewhere.micros },
      ...{ treeTtl: childTtlOf(this.options), spentTtl: 2 * DAY_MS },
    })) as readonly ['OK', number, string, string] | readonly ['SPENT', BudgetLimit, string?];
    if (reply[0] === 'SPENT') return { kind: 'spent', limit: reply[1], most: Number(reply[2] ?? 0) };
    const [, tokens, tokensHere, microsHere] = reply;
    const settle = async (used: UsedTokens): Promise<void> => {
      const [input, output] = [Math.ceil(used.input), Math.ceil(used.output)];
      const tokens = Math.max(0, input - Math.floor(used.cached ?? 0)) + output;
      await TASK_SCRIPTS.settleUse.run(
        this.redis,
        { ...keys, task: this.keys.task(run.taskId), root: this.rootKey(run) },
        {
          ...{ id: name, tokens, micros: Math.ceil(used.micros), day },
          ...{ inputTokens: input, outputTokens: output },
        },
      );
    };
    const left = { tokens: elsewhere.tokens - Number(tokensHere), micros: elsewhere.micros - Number(microsHere) };
    return { kind: 'reserved', tokens, settle, ...this.partOfTenant(left) };
  }

  private partOfTenant(left: Use): { readonly ofTenant?: number } {
    const { mostTenantTokens, mostTenantMicros } = this.options;
    const parts = [partUsed(left.tokens, mostTenantTokens), partUsed(left.micros, mostTenantMicros)];
    const known = parts.filter((part) => part !== undefined);
    return known.length === 0 ? {} : { ofTenant: Math.max(...known) };
  }

  /** Reads the other shards: concurrent calls in several trees may exceed the budget of a tenant by one call each. */
  private async leftToTenant({ taskId, tenant }: ClaimedRun, day: number): Promise<Use> {
    const { mostTenantTokens, mostTenantMicros } = this.options;
    if (mostTenantTokens === undefined && mostTenantMicros === undefined) return { tokens: NO_LIMIT, micros: NO_LIMIT };
    const shards = ALL_SHARDS.filter((shard) => shard !== shardOf(taskId));
    const { tokens, micros } = await useOfTenant(this.redis, this.keys, { tenant, day, shards });
    return { tokens: (mostTenantTokens ?? NO_LIMIT) - tokens, micros: (mostTenantMicros ?? NO_LIMIT) - micros };
  }

  private rootKey({ taskId, traits }: ClaimedRun): string {
    return this.keys.task(traits.tree?.root ?? taskId);
  }

  private keysOf({ taskId, tenant, traits }: ClaimedRun) {
    const spent = this.keys.spent(shardOf(taskId), tenantName(tenant));
    return { tree: this.keys.tree(traits.tree?.root ?? taskId), spent };
  }
}

/** The used part of a budget; undefined without one, or for an empty one. */
function partUsed(left: number, most: number | undefined): number | undefined {
  return most === undefined || most <= 0 ? undefined : 1 - left / most;
}
