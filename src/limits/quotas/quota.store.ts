import { setTimeout } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { RedisClient } from '../../platform/redis/connection/redis-client.js';
import { quotaKeys, type QuotaKeys } from '../limit.keys.js';
import { LIMIT_SCRIPTS } from '../limit.scripts.js';
import type { LimitOptions } from '../limit-options.js';
import { type Quota, storageShort } from './quota.js';

/** The state of a task for quotas: not stored yet, ended, running or waiting for a worker. */
export type QuotaState = 'missing' | 'over' | 'open' | 'queued';

export type QuotaStatesOf = (taskIds: readonly string[]) => Promise<readonly QuotaState[]>;

/** The shares of Redis' `maxmemory` for stored tasks of one client and of one tenant. */
const CLIENT_SHARE = 0.25;
const TENANT_SHARE = 0.5;
/** Longer than any task waits for an answer. */
const KEEP_MS = 40 * 86_400_000;
/** Above this fill level, finished tasks are pruned so that callers within their quota are not rejected. */
const NEARLY_FULL_PERCENT = 80;
/** Tasks checked per pruning, least recently checked first. */
const REVIEW = 500;
/** Pause for a set in which no task had ended. */
const REST_MS = 100;
/** A counted task that is not stored after this time never will be: its process died. */
const STORED_WITHIN_MS = 60_000;
const TRIES = 3;
/** Reservations per script call. */
const MAX_TOGETHER = 256;
const RETRY_AFTER_S = 5;
/** Space is freed when the retention of tasks ends, so an immediate retry is useless. */
export const STORAGE_RETRY_AFTER_S = 60;

/** The reply of reserve.lua. */
type Reserved = readonly [reserved: number, fullest: number, fullKey: number, now: number];

interface Turn {
  readonly ids: string[];
  readonly reply: Promise<Reserved>;
}

/**
 * Counts unfinished tasks of clients and waiting tasks of tenants across replicas. Never exceeds a limit: no two calls
 * take the last entry. Entries are checked against the tasks themselves, so a crash never leaks an entry.
 */
export class QuotaStore {
  private readonly log = new Logger(QuotaStore.name);
  /** Pending reservations by the key of the client's tasks. */
  private readonly turns = new Map<string, Turn>();

  constructor(
    private readonly redis: RedisClient,
    private readonly options: Pick<LimitOptions, 'keyPrefix' | 'quotas'>,
    private readonly memory: { readonly isShort: boolean; readonly mostBytes: number },
  ) {}

  /** Refuses all new work while Redis is nearly full, so that begun work can end. @throws RateLimitedError */
  requireStorage(): void {
    if (this.memory.isShort) throw storageShort(STORAGE_RETRY_AFTER_S);
  }

  /** Maximum bytes of stored tasks: a share of a bounded Redis, so that no client or tenant fills it for all. */
  get mostBytes(): { readonly client: number; readonly tenant: number } {
    const { bytesPerClient, bytesPerTenant } = this.options.quotas;
    const redis = this.memory.mostBytes === 0 ? Infinity : this.memory.mostBytes;
    return {
      client: Math.min(bytesPerClient, Math.floor(redis * CLIENT_SHARE)),
      tenant: Math.min(bytesPerTenant, Math.floor(redis * TENANT_SHARE)),
    };
  }

  /** Reserves an entry for a new task; returns the full quota, if any. */
  async reserve(
    caller: { tenant: string; client: string },
    taskId: string,
    quotaStatesOf: QuotaStatesOf,
  ): Promise<Quota | undefined> {
    const keys = quotaKeys(this.options.keyPrefix, caller);
    const first = await this.take(keys, taskId);
    if (first.isTaken) {
      if (first.fullest >= NEARLY_FULL_PERCENT) this.reviewAside(keys, quotaStatesOf, first.now);
      return undefined;
    }
    return this.takeAfterReview(keys, taskId, quotaStatesOf, first);
  }

  /** Releases the entry of a task that was not created. */
  async release(caller: { tenant: string; client: string }, taskId: string): Promise<void> {
    const { live, waiting } = quotaKeys(this.options.keyPrefix, caller);
    await this.redis.multi().zrem(live, taskId).zrem(waiting, taskId).exec();
  }

  /** Other processes may be pruning, so the answer is final only after a few attempts. */
  private async takeAfterReview(
    keys: QuotaKeys,
    taskId: string,
    quotaStatesOf: QuotaStatesOf,
    { at, now }: { readonly at: number; readonly now: number },
  ): Promise<Quota | undefined> {
    const which = at === 1 ? 'live' : 'waiting';
    for (let tries = 0; tries < TRIES; tries += 1) {
      if (!(await this.review(keys, which, quotaStatesOf, now))) await setTimeout(REST_MS);
      if ((await this.take(keys, taskId)).isTaken) return undefined;
    }
    return this.quotaOf(at);
  }

  private async take(
    keys: QuotaKeys,
    taskId: string,
  ): Promise<
    | { readonly isTaken: true; readonly fullest: number; readonly now: number }
    | { readonly isTaken: false; readonly at: number; readonly now: number }
  > {
    const turn = this.turnOf(keys);
    const place = turn.ids.push(taskId);
    const [reserved, fullest, at, now] = await turn.reply;
    return place <= reserved ? { isTaken: true, fullest, now } : { isTaken: false, at, now };
  }

  /** Joins the reservations of one client in one turn of the event loop into one script call. */
  private turnOf(keys: QuotaKeys): Turn {
    const present = this.turns.get(keys.live);
    if (present !== undefined && present.ids.length < MAX_TOGETHER) return present;
    const ids: string[] = [];
    const reply = new Promise(setImmediate).then(() => {
      if (this.turns.get(keys.live) === turn) this.turns.delete(keys.live);
      return this.reserveAll(keys, ids);
    });
    const turn = { ids, reply };
    this.turns.set(keys.live, turn);
    return turn;
  }

  private async reserveAll({ live, waiting }: QuotaKeys, ids: readonly string[]): Promise<Reserved> {
    const { liveTasksPerClient, waitingTasksPerTenant } = this.options.quotas;
    const args = { maxLive: liveTasksPerClient, maxWaiting: waitingTasksPerTenant, keepMs: KEEP_MS, ids };
    return (await LIMIT_SCRIPTS.reserve.run(this.redis, { live, waiting }, args)) as unknown as Reserved;
  }

  private quotaOf(at: number): Quota {
    const { liveTasksPerClient, waitingTasksPerTenant } = this.options.quotas;
    return at === 1
      ? { subject: 'unfinished tasks', limit: liveTasksPerClient, retryAfterSeconds: RETRY_AFTER_S }
      : { subject: 'waiting tasks', limit: waitingTasksPerTenant, retryAfterSeconds: RETRY_AFTER_S };
  }

  private reviewAside(keys: QuotaKeys, quotaStatesOf: QuotaStatesOf, now: number): void {
    const looks = (['live', 'waiting'] as const).map((key) => this.review(keys, key, quotaStatesOf, now));
    Promise.all(looks).catch((error: unknown) => {
      this.log.warn({ event: 'quota.not-reviewed', reason: String(error) });
    });
  }

  /** Prunes ended tasks; false when another process is pruning, or the last pruning found none. */
  private async review(
    keys: QuotaKeys,
    which: 'live' | 'waiting',
    quotaStatesOf: QuotaStatesOf,
    now: number,
  ): Promise<boolean> {
    const key = keys[which];
    const rest = `${key}:reviewed`;
    if ((await this.redis.set(rest, '1', 'PX', REST_MS, 'NX')) === null) return false;
    const members = await this.redis.zrange(key, '0', String(REVIEW - 1), 'WITHSCORES');
    const ids = members.filter((_member, at) => at % 2 === 0);
    const states = await quotaStatesOf(ids);
    const counts = ids.map((_id, at) => {
      const isYoung = Number(members[at * 2 + 1]) > now - STORED_WITHIN_MS;
      const state = states[at] ?? 'missing';
      return state === 'missing' ? isYoung : state === 'queued' || (state === 'open' && which === 'live');
    });
    const over = ids.filter((_id, at) => counts[at] !== true);
    const known = ids.filter((_id, at) => counts[at] === true && states[at] !== 'missing');
    const change = this.redis.multi();
    if (over.length > 0) change.zrem(key, ...over).del(rest);
    for (const id of known) change.zadd(key, 'XX', String(now), id);
    await change.exec();
    return over.length > 0;
  }
}
