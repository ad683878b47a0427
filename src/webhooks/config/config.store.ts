import { Inject, Injectable } from '@nestjs/common';
import { isSettled, TASK_STATES } from '@parley/protocol/model/task-state.js';
import { CommandRedis } from '../../platform/redis/connection/connections.js';
import { Replicas } from '../../platform/redis/replicas.js';
import { isTaskId } from '../../tasks/task.keys.js';
import { PushKeys } from '../push.keys.js';
import { PushOptions } from '../push.options.js';
import { parseRecord, type PushRecord } from './push-record.js';
import { PUSH_SCRIPTS } from '../push.scripts.js';
import { FIELD } from '../../tasks/task-fields.js';

export type RegisterOutcome = 'ok' | 'not-found' | 'full';

/** States without further events of their own: a webhook registered in one of them gets the last event. */
const SETTLED_STATES = ` ${TASK_STATES.filter(isSettled).join(' ')} `;

const CONFIG = 'config:';

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
    const fields = await this.fieldsOf(owner, taskId);
    if (fields === undefined) return undefined;
    const records = Object.entries(fields).filter(([name]) => name.startsWith(CONFIG));
    return records.map(([, text]) => parseRecord(text)).sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Reasons and times of stopped webhooks of a task, by config id; undefined when the task is missing or foreign. */
  async stopped(owner: string, taskId: string): Promise<Readonly<Record<string, string>> | undefined> {
    const fields = await this.fieldsOf(owner, taskId);
    if (fields === undefined) return undefined;
    const dead = Object.entries(fields).filter(([name]) => name.startsWith('dead:'));
    return Object.fromEntries(dead.map(([name, text]) => [name.slice('dead:'.length), text]));
  }

  /** The last attempts of a task, oldest first, as JSON lines; undefined when the task is missing or foreign. */
  async attempts(owner: string, taskId: string): Promise<readonly string[] | undefined> {
    if (!(await this.owns(owner, taskId))) return undefined;
    return this.redis.lrange(this.keys.attempts(taskId), 0, -1);
  }

  /**
   * When webhooks are tried next, by config id, ms since 1970: those with something to deliver that wait for a time.
   */
  async nextAttempts(owner: string, taskId: string): Promise<ReadonlyMap<string, number>> {
    const fields = (await this.fieldsOf(owner, taskId)) ?? {};
    const ids = Object.keys(fields).flatMap((name) => (name.startsWith(CONFIG) ? [name.slice(CONFIG.length)] : []));
    if (ids.length === 0) return new Map();
    const { outbox } = this.keys.cursor(taskId);
    const due = await this.redis.zmscore(outbox, ...ids.map((id) => `${taskId} ${id}`));
    return new Map(
      ids.flatMap((id, at) => (typeof due[at] === 'string' ? [[id, Number(fields[`after:${id}`] ?? due[at])]] : [])),
    );
  }

  private async fieldsOf(owner: string, taskId: string): Promise<Record<string, string> | undefined> {
    return (await this.owns(owner, taskId)) ? this.redis.hgetall(this.keys.push(taskId)) : undefined;
  }

  async owns(owner: string, taskId: string): Promise<boolean> {
    return isTaskId(taskId) && (await this.redis.hget(this.keys.task(taskId), FIELD.owner)) === owner;
  }
}
