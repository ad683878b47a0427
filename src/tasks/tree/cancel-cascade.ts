import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { CommandRedis } from '../../platform/redis/connection/connections.js';
import { MirrorStore } from './mirror.store.js';
import { RedisClock } from '../../platform/redis/redis-clock.js';
import { ALL_SHARDS, isTaskId, shardOf, TaskKeys } from '../task.keys.js';
import { traitsOf } from '../record/task-record.js';
import { TaskOptions } from '../task.options.js';
import { type CancelOutcome, TaskStore } from '../store/task.store.js';
import { FIELD } from '../task-fields.js';

/** Children canceled at a time. */
const CANCELED_EACH = 64;
/** Time for which the caller of a cancel waits for the descendants of its task. */
const MAX_MS = 1_000;

/**
 * Cancels the open descendants of ended or canceled tasks. A task is marked before its children are read, and a marked
 * task creates no more: none is missed. The next pass of a sweep completes the work of a dead process.
 */
@Injectable()
export class CancelCascade {
  private readonly log = new Logger(CancelCascade.name);
  private readonly keys: TaskKeys;

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(TaskOptions) private readonly options: TaskOptions,
    private readonly tasks: TaskStore,
    private readonly mirrors: MirrorStore,
    private readonly clock: RedisClock,
  ) {
    this.keys = new TaskKeys(options.keyPrefix);
  }

  /** Time for a canceled skill to stop by itself, ms. */
  get graceMs(): number {
    return this.options.cancelGraceMs;
  }

  /** Cancels a task for its owner, and its descendants at once: the sweep cancels the rest after a second. */
  async cancelTree(owner: string, id: string): Promise<CancelOutcome> {
    const outcome = await this.tasks.cancel(owner, id);
    const isDone = outcome.kind === 'canceled' || outcome.kind === 'requested';
    if (!isDone || (await this.redis.hexists(this.keys.task(id), FIELD.hasChildren)) === 0) return outcome;
    const below = this.cancelBelow(id).catch((error: unknown) => {
      this.log.warn({ event: 'cancel.left-to-sweep', taskId: id, reason: String(error) });
    });
    await Promise.race([below, pause(MAX_MS, undefined, { ref: false })]);
    return outcome;
  }

  /** Tasks whose children must be canceled, at most `limit` per shard. */
  async due(limit: number): Promise<readonly string[]> {
    const shards = ALL_SHARDS.map((shard) =>
      this.redis.zrangebyscore(this.keys.cascade(shard), '-inf', String(this.clock.now()), 'LIMIT', '0', String(limit)),
    );
    return (await Promise.all(shards)).flat();
  }

  /** Cancels all open descendants of a task; running ones are asked to stop. */
  async cancelBelow(id: string): Promise<void> {
    const children = await this.redis.hgetall(this.keys.children(id));
    const isKept = (child: string): boolean => children[`d:${child}`] !== undefined;
    const open = Object.entries(children).flatMap(([name, text]) =>
      isTaskId(name) && isOpen(text) && !isKept(name) ? [name] : [],
    );
    for (let at = 0; at < open.length; at += CANCELED_EACH) {
      await Promise.all(open.slice(at, at + CANCELED_EACH).map((child) => this.cancel(child)));
    }
    await this.forgetQuestions(id);
    await this.redis.zrem(this.keys.trees(shardOf(id)), id);
    const again = await this.mirrors.cancel(id);
    const cascade = this.keys.cascade(shardOf(id));
    if (again === undefined) await this.redis.zrem(cascade, id);
    else await this.redis.zadd(cascade, again, id);
  }

  /** Removes the questions of an ended task from the root of its tree. */
  private async forgetQuestions(id: string): Promise<void> {
    const [traits, questions] = await this.redis.hmget(this.keys.task(id), FIELD.traits, FIELD.questions);
    if (typeof traits !== 'string' || typeof questions !== 'string') return;
    const root = traitsOf(traits).tree?.root ?? id;
    await this.redis.zadd(this.keys.asking(shardOf(root)), 0, root);
  }

  private async cancel(id: string): Promise<void> {
    const [owner, hasChildren] = await this.redis.hmget(this.keys.task(id), FIELD.owner, FIELD.hasChildren);
    if (typeof owner !== 'string') return;
    await this.tasks.cancel(owner, id);
    if (typeof hasChildren === 'string') await this.cancelBelow(id);
  }
}

/** `<group> <state of its end, or ->` (lua/lib/tree/group.lua). */
function isOpen(text: string): boolean {
  return text.endsWith(' -');
}
