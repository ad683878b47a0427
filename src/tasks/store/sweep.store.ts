import { Inject, Injectable } from '@nestjs/common';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { SERVICE_FAULT } from '@parley/protocol/extension/marks.js';
import type { Message } from '@parley/protocol/model/message.js';
import { isTerminal, type TaskState } from '@parley/protocol/model/task-state.js';
import { callerFields, storedFields } from '../../platform/logging/call-fields.js';
import type { LineFields } from '../../platform/logging/line-fields.js';
import { CommandRedis } from '../../platform/redis/connection/connections.js';
import { agentMessage } from '../record/agent-message.js';
import { RedisClock, redisNow } from '../../platform/redis/redis-clock.js';
import { ServedPosition } from './served-position.js';
import { stateWord } from '../record/state-word.js';
import { endingArguments, endingKeys, pathIn } from './task-ending.js';
import { indexOf, listedUnder, listsOf } from '../record/task-lists.js';
import { type TaskRest, type TaskTraits, traitsOf } from '../record/task-record.js';
import { CLOSED_STATES, OPEN_STATES, WAITING_STATES } from '../record/task-rules.js';
import { ALL_SHARDS, isTaskId, newNonce, shardOf, TaskKeys } from '../task.keys.js';
import { TaskOptions } from '../task.options.js';
import type { ScriptKeys } from '../../platform/redis/script/redis-script.js';
import { TASK_SCRIPTS } from '../task.scripts.js';
import { FIELD } from '../task-fields.js';
import { livesWorker } from './worker-life.js';

/** The reason why the sweep ends a task. */
export type EndReason = 'CANCEL_OVERDUE' | 'ATTEMPTS_SPENT' | 'UNDO_SPENT' | 'UNANSWERED' | 'NEVER_RUN';

export type Evaluation =
  | { readonly kind: 'later' }
  /** It is in the fair queue now, after a delay or a release. */
  | { readonly kind: 'run'; readonly fence: number }
  /** The same, since the lease of its run has expired; `isLate` when the process of the run lives. */
  | { readonly kind: 'again'; readonly fence: number; readonly isLate: boolean }
  | { readonly kind: 'end'; readonly why: EndReason; readonly fence: number };

/** The text in the end of a task for its caller. */
export interface Said {
  readonly text: string;
  readonly metadata?: JsonObject;
}

/** A text that attributes the failure to the service, and not to its skill. */
export function fault(text: string): Said {
  return { text, metadata: { [SERVICE_FAULT]: true } };
}

const SETTLED = { SETTLED: 'settled', UNDOES: 'undoing', MOVED: 'moved' } as const;
export type Settled = (typeof SETTLED)[keyof typeof SETTLED];

/** Losses beyond the allowed attempts that end a task although other suspects may have been the cause. */
const LOSSES_BEYOND = 3;
/** Children removed at a time. */
const PURGED_EACH = 64;
/** Interval of checks of an ended tree with open detached tasks. */
const AGAIN_MS = 3_600_000;

/** Number of artifacts by their stored names. */
function artifactsIn(names: string): number {
  return names === '' ? 0 : (JSON.parse(names) as string[]).length;
}

/** A task to remove, as read. */
interface PurgedTask extends Record<'id' | 'owner' | 'contextId', string> {
  readonly traits: TaskTraits;
  readonly state: TaskState;
}

/** The sweep's side of task state: due tasks, the result of their check, their end, and their purge. */
@Injectable()
export class SweepStore {
  private readonly keys: TaskKeys;

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(TaskOptions) private readonly options: TaskOptions,
    private readonly clock: RedisClock,
    private readonly served: ServedPosition,
  ) {
    this.keys = new TaskKeys(options.keyPrefix);
  }

  /** Due open tasks by the server's clock, at most `limit` of each shard. */
  due(limit: number): Promise<readonly string[]> {
    return this.before((shard) => this.keys.due(shard), limit);
  }

  /**
   * Tasks beyond their retention, at most `limit` per shard. Separate from the due ones, so that no backlog of them
   * delays a lost run.
   */
  over(limit: number): Promise<readonly string[]> {
    return this.before((shard) => this.keys.over(shard), limit);
  }

  private async before(keyOf: (shard: number) => string, limit: number): Promise<readonly string[]> {
    const now = await this.now();
    const shards = ALL_SHARDS.map((shard) => this.redis.zrangebyscore(keyOf(shard), '-inf', now, 'LIMIT', 0, limit));
    return (await Promise.all(shards)).flat();
  }

  /**
   * Puts the runs of parked tasks with an expired wait into the fair queues, at most `limit` per shard, in one script
   * per shard. Returns their number; `isMore` if some shard reached the limit.
   */
  async wake(limit: number): Promise<{ readonly woken: number; readonly isMore: boolean }> {
    const now = await this.now();
    const shards = ALL_SHARDS.map((shard) => this.wakeShard(shard, now, limit));
    const woken = await Promise.all(shards);
    return { woken: woken.reduce((sum, count) => sum + count, 0), isMore: woken.some((count) => count >= limit) };
  }

  private async wakeShard(shard: number, now: number, limit: number): Promise<number> {
    const ids = await this.redis.zrangebyscore(this.keys.parked(shard), '-inf', now, 'LIMIT', 0, limit);
    const [first] = ids;
    if (first === undefined) return 0;
    const keys = {
      ...{ due: this.keys.due(shard), parked: this.keys.parked(shard), ...this.keys.queuesOf(first) },
      tasks: ids.map((id) => this.keys.task(id)),
    };
    const args = { stuckMs: this.options.stuckTtlMs, elsewhere: this.served.latest, ids };
    const [woken, served] = (await TASK_SCRIPTS.wake.run(this.redis, keys, args)) as readonly [number, number?];
    this.served.observe(served);
    return woken;
  }

  /** The lifetime of a lease that is not renewed. */
  get leaseMs(): number {
    return this.options.leaseMs;
  }

  async evaluate(id: string): Promise<Evaluation> {
    const [verdict, fence] = await this.verdictOf(id);
    if (verdict === 'LATER') return { kind: 'later' };
    if (verdict === 'RUN') return { kind: 'run', fence };
    if (verdict === 'AGAIN' || verdict === 'LATE') return { kind: 'again', fence, isLate: verdict === 'LATE' };
    return { kind: 'end', why: verdict, fence };
  }

  private async verdictOf(id: string): Promise<readonly ['LATER' | 'RUN' | 'AGAIN' | 'LATE' | EndReason, number]> {
    const { maxAttempts, stuckTtlMs } = this.options;
    const keys = { task: this.keys.task(id), due: this.keys.dueOf(id), ...this.keys.queuesOf(id) };
    for (let lives: 0 | 1 | '' = ''; ;) {
      const reply = await TASK_SCRIPTS.evaluate.run(this.redis, keys, {
        ...{ id, openStates: OPEN_STATES, waitingStates: WAITING_STATES },
        ...{ maxAttempts, stuckMs: stuckTtlMs, extraLosses: LOSSES_BEYOND, lives },
      });
      const [verdict, detail] = reply as readonly ['LATER' | 'RUN' | 'AGAIN' | 'LATE' | EndReason | 'EXPIRED', unknown];
      if (verdict !== 'EXPIRED') return [verdict, Number(detail ?? 0)];
      lives = (await livesWorker(this.redis, this.keys, { channel: String(detail), taskId: id })) ? 1 : 0;
    }
  }

  /** The log fields of the call that a task follows from. */
  async callOf(id: string): Promise<LineFields> {
    const [traits, rest, names] = await this.redis.hmget(this.keys.task(id), FIELD.traits, FIELD.rest, FIELD.names);
    if (typeof traits !== 'string' || typeof rest !== 'string') return {};
    const { client, subject } = JSON.parse(rest) as TaskRest;
    return { ...callerFields({ tenant: traitsOf(traits).tenant, client, subject }), ...storedFields(names ?? '') };
  }

  /**
   * Ends a task whose run still has this `fence`. `undoing`: it ends so once its work is undone. `moved`: it has
   * changed.
   */
  async settle(id: string, fence: number, state: TaskState, said?: Said): Promise<Settled> {
    if (!isTerminal(state)) throw new RangeError(`${state} does not end a task`);
    const [owner, contextId, traits, rest] = await this.redis.hmget(
      this.keys.task(id),
      FIELD.owner,
      FIELD.context,
      FIELD.traits,
      FIELD.rest,
    );
    if (typeof owner !== 'string' || typeof contextId !== 'string') return 'moved';
    const ending = { id, owner, traits: traitsOf(traits ?? ''), contextId, state, path: pathIn(rest ?? null) };
    const message = said && messageOf(id, contextId, said);
    const nonce = newNonce();
    for (let ms = this.clock.now(); ;) {
      const args = endingArguments(this.keys, this.options, {
        ...ending,
        ms,
        nonce,
        message,
        served: this.served.latest,
      });
      const reply = await TASK_SCRIPTS.settle.run(this.redis, endingKeys(this.keys, ending), { ...args, fence });
      const [verdict, earliest] = reply as readonly [keyof typeof SETTLED | 'EARLIER', (number | string)?];
      if (verdict !== 'EARLIER') return SETTLED[verdict];
      ms = Number(earliest);
    }
  }

  /** Removes a task with its children: only an ended one, unless `whatever` its state. False when it must stay. */
  async purge(id: string, which: 'finished' | 'whatever'): Promise<boolean> {
    const states = which === 'finished' ? CLOSED_STATES : '*';
    for (;;) {
      const fields = await this.redis.hmget(
        this.keys.task(id),
        FIELD.word,
        FIELD.owner,
        FIELD.context,
        FIELD.traits,
        FIELD.artifactNames,
        FIELD.hasChildren,
      );
      const [word, owner, contextId, traits, names, hasChildren] = fields;
      const { state } = stateWord(word ?? '');
      // Another process may have removed it.
      const hasEnded = typeof word === 'string' && isTerminal(state);
      if (typeof hasChildren === 'string') {
        if (which === 'finished' && !hasEnded) return false;
        if (which === 'finished' && (await this.isAwaited(id))) return false;
        await this.purgeChildren(id);
      }
      if (which === 'whatever' || hasEnded) await this.dropFurtherParts(id, names ?? '');
      const seen = { id, owner: owner ?? '', traits: traitsOf(traits ?? ''), contextId: contextId ?? '', state };
      const args = { id, states, seenState: state, seenNames: names ?? '' };
      const reply = await TASK_SCRIPTS.purge.run(this.redis, this.purgeKeys(seen, names ?? ''), args);
      if (reply !== 2) return reply === 1;
    }
  }

  /** Whether detached tasks of the tree are open: it is kept until they have ended, and checked again in an hour. */
  private async isAwaited(root: string): Promise<boolean> {
    if ((await this.redis.hget(this.keys.tree(root), 'detached')) === null) return false;
    if (!(await this.hasDetached(root))) return false;
    const shard = shardOf(root);
    await this.redis.zadd(this.keys.over(shard), 'XX', (await this.now()) + AGAIN_MS, root);
    return true;
  }

  private async hasDetached(id: string): Promise<boolean> {
    const children = await this.redis.hgetall(this.keys.children(id));
    const ids = Object.keys(children).filter(isTaskId);
    if (ids.some((child) => children[`d:${child}`] !== undefined && children[child]?.endsWith(' -') === true))
      return true;
    for (const child of ids) if (await this.hasDetached(child)) return true;
    return false;
  }

  /** Before their parent, which lists them: the next purge of the parent removes the rest if the process dies. */
  private async purgeChildren(id: string): Promise<void> {
    const fields = await this.redis.hkeys(this.keys.children(id));
    const ids = fields.filter(isTaskId);
    for (let at = 0; at < ids.length; at += PURGED_EACH) {
      await Promise.all(ids.slice(at, at + PURGED_EACH).map((child) => this.purge(child, 'whatever')));
    }
    await this.redis.zrem(this.keys.trees(shardOf(id)), id);
    await this.redis.zrem(this.keys.cascade(shardOf(id)), id);
  }

  /** Before the task, which leads to them: the next purge removes the rest if the process dies. */
  private async dropFurtherParts(id: string, names: string): Promise<void> {
    for (const lists of this.keys.furtherParts(id, artifactsIn(names))) await this.redis.unlink(...lists);
  }

  private purgeKeys(
    { id, owner, traits, contextId, state }: PurgedTask,
    names: string,
  ): ScriptKeys<typeof TASK_SCRIPTS.purge> {
    const shard = shardOf(id);
    const lists = listsOf(this.keys, id, listedUnder(owner, traits), contextId);
    const { open, ended, openOfContext, endedOfContext } = lists;
    return {
      ...{ task: this.keys.task(id), due: this.keys.due(shard), ...this.keys.queuesOf(id) },
      ...{ counts: this.keys.counts(shard), over: this.keys.over(shard), outbox: this.keys.outbox(shard) },
      ...{ bytes: this.keys.bytes(shard), sent: this.keys.sent(shard, traits.digest), parked: this.keys.parked(shard) },
      ...{ push: this.keys.push(id), ...this.keys.dead(shard) },
      ...{ open, ended, openOfContext, endedOfContext, ofState: lists.ofState(state) },
      ...{ ofStateInContext: lists.ofStateInContext(state), ...lists.openByState },
      ...{ tenantTasks: indexOf(this.keys, id, traits), parts: this.keys.partsOf(id, artifactsIn(names)) },
    };
  }

  /** The server's clock, ms since 1970. */
  private async now(): Promise<number> {
    const sentAt = Date.now();
    const now = await redisNow(this.redis);
    this.clock.observe(now, sentAt);
    return now;
  }
}

function messageOf(id: string, contextId: string, { text, metadata }: Said): Message {
  const message = agentMessage(id, contextId, text);
  return metadata === undefined ? message : { ...message, metadata };
}
