import { Inject, Injectable } from '@nestjs/common';
import { isSettled, TASK_STATES } from '@parley/protocol/model/task-state.js';
import { CommandRedis } from '../../platform/redis/connection/connections.js';
import { Replicas } from '../../platform/redis/replicas.js';
import { isTaskId } from '../../tasks/task.keys.js';
import { PushKeys } from '../push.keys.js';
import { PushOptions } from '../push.options.js';
import { parseRecord, type PushRecord } from './push-record.js';
import { PUSH_SCRIPTS } from '../push.scripts.js';

export type RegisterOutcome = 'ok' | 'not-found' | 'full';

/** States without further events of their own: a webhook registered in one of them gets the last event. */
const SETTLED_STATES = ` ${TASK_STATES.filter(isSettled).join(' ')} `;

const CONFIG = 'config:';
const DEAD = 'dead:';

/** What is stored of deliveries, as JSON. */
export interface HookHistory {
  /** Reasons and times of stopped webhooks, by config id. */
  readonly stopped: Readonly<Record<string, string>>;
  /** The last attempts, oldest first. */
  readonly attempts: readonly string[];
}

interface StoredHooks {
  readonly fields: Readonly<Record<string, string>>;
  readonly attempts: readonly string[];
}

/**
 * The webhooks of tasks. Every method sees only the tasks of the given owner. Writing methods throw `NotReplicated`
 * when the awaited replicas lack the write; the primary has it, and a repeat is safe.
 */
@Injectable()
export class ConfigStore {
  private readonly keys: PushKeys;

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(PushOptions) private readonly options: PushOptions,
    private readonly replicas: Replicas,
  ) {
    this.keys = new PushKeys(options.keyPrefix);
  }

  /**
   * Stores a webhook, or replaces the one with its id (A2A-PCFG-03). A new one on a task that has ended or waits for an
   * answer gets the last event at once.
   */
  async register(owner: string, record: PushRecord): Promise<RegisterOutcome> {
    const { taskId, id } = record;
    if (!isTaskId(taskId)) return 'not-found';
    const text = JSON.stringify(record);
    const reply = await PUSH_SCRIPTS.register.run(this.redis, this.keys.cursor(taskId), {
      ...{ owner, hook: id, record: text, maxHooks: this.options.maxPerTask, settledStates: SETTLED_STATES },
      ...{ id: taskId, ...this.keys.hintOf(taskId) },
    });
    if (reply === 'FULL') return 'full';
    if (reply !== 'OK') return 'not-found';
    await this.confirm(taskId, id, text);
    return 'ok';
  }

  /** Removes a webhook; also true when there is none. False when the task is missing or foreign (A2A-PCFG-07). */
  async unregister(owner: string, taskId: string, configId: string): Promise<boolean> {
    if (!isTaskId(taskId)) return false;
    const args = { owner, hook: configId, id: taskId };
    const keys = { ...this.keys.cursor(taskId), ...this.keys.deadOf(taskId) };
    const reply = await PUSH_SCRIPTS.unregister.run(this.redis, keys, args);
    if (reply !== 'OK') return false;
    await this.confirm(taskId, configId, null);
    return true;
  }

  /** With `REDIS_WAIT_REPLICAS`, a stored or deleted webhook survives the loss of the primary. */
  private confirm(taskId: string, configId: string, text: string | null): Promise<void> {
    const asked = { key: this.keys.push(taskId), fields: [CONFIG + configId] };
    return this.replicas.confirm(this.keys.markOf(taskId), asked, ([stored]) => stored === text);
  }

  /** The webhooks of a task, by id; undefined when the task is missing or foreign. */
  async list(owner: string, taskId: string): Promise<readonly PushRecord[] | undefined> {
    const hooks = await this.hooks(owner, taskId);
    const records = hooks && Object.entries(hooks.fields).filter(([name]) => name.startsWith(CONFIG));
    return records?.map(([, text]) => parseRecord(text)).sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** The delivery history of a task's webhooks; undefined when the task is missing or foreign. */
  async history(owner: string, taskId: string): Promise<HookHistory | undefined> {
    const hooks = await this.hooks(owner, taskId, '1');
    if (hooks === undefined) return undefined;
    const dead = Object.entries(hooks.fields).filter(([name]) => name.startsWith(DEAD));
    return {
      stopped: Object.fromEntries(dead.map(([name, text]) => [name.slice(DEAD.length), text])),
      attempts: hooks.attempts,
    };
  }

  /**
   * When webhooks are tried next, by config id, ms since 1970: those with something to deliver that wait for a time.
   */
  async nextAttempts(owner: string, taskId: string): Promise<ReadonlyMap<string, number>> {
    const fields = (await this.hooks(owner, taskId))?.fields ?? {};
    const ids = Object.keys(fields).flatMap((name) => (name.startsWith(CONFIG) ? [name.slice(CONFIG.length)] : []));
    if (ids.length === 0) return new Map();
    const { outbox } = this.keys.cursor(taskId);
    const due = await this.redis.zmscore(outbox, ...ids.map((id) => `${taskId} ${id}`));
    return new Map(
      ids.flatMap((id, at) => (typeof due[at] === 'string' ? [[id, Number(fields[`after:${id}`] ?? due[at])]] : [])),
    );
  }

  async owns(owner: string, taskId: string): Promise<boolean> {
    return (await this.hooks(owner, taskId)) !== undefined;
  }

  private async hooks(owner: string, taskId: string, withAttempts: '' | '1' = ''): Promise<StoredHooks | undefined> {
    if (!isTaskId(taskId)) return undefined;
    const { task, push } = this.keys.cursor(taskId);
    const keys = { task, push, attempts: this.keys.attempts(taskId) };
    const reply = await PUSH_SCRIPTS.hooks.run(this.redis, keys, { owner, withAttempts });
    if (reply === null) return undefined;
    const [flat, attempts] = reply as readonly [readonly string[], readonly string[]];
    return { fields: Object.fromEntries(pairsIn(flat)), attempts };
  }
}

function pairsIn(flat: readonly string[]): readonly (readonly [string, string])[] {
  return flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1] ?? ''] as const] : []));
}
