import { Inject, Injectable } from '@nestjs/common';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Message } from '@parley/protocol/model/message.js';
import { CommandRedis } from '../../platform/redis/connection/connections.js';
import { RedisClock } from '../../platform/redis/redis-clock.js';
import { ServedPosition } from '../store/served-position.js';
import { shardOf, TaskKeys } from '../task.keys.js';
import { TaskOptions } from '../task.options.js';
import { OPEN_STATES } from '../record/task-rules.js';
import { traitsOf } from '../record/task-record.js';
import { TASK_SCRIPTS } from '../task.scripts.js';
import { HINT } from '../commit/wait.js';
import { FIELD } from '../task-fields.js';

/** The task of another agent or of a tool, mirrored by a task here. */
export interface Mirrored {
  /** Default `agent`. */
  readonly kind?: MirroredKind;
  readonly agent: string;
  /** The tenant whose credential is used for a tool. */
  readonly tenant?: string;
  /** The caller on whose behalf an agent is called; absent in tasks of earlier releases. */
  readonly caller?: MirroredCaller;
  readonly taskId: string;
  /** Ms since 1970. */
  readonly since: number;
}

/** The caller of the task here. */
export interface MirroredCaller {
  readonly tenant: string;
  readonly client: string;
  readonly subject?: string;
}

/** The kind of the mirrored task's owner. */
export type MirroredKind = 'agent' | 'tool';

/** Cancels the mirrored task at its agent. False: the agent did not accept, and the cancel is repeated. */
export type CancelMirrored = (mirrored: Mirrored) => Promise<boolean>;

/** Interval of repeated cancels. */
const CANCEL_AGAIN_MS = 5000;

/** Tasks that mirror those of other agents, so that a cancel reaches them even without a run of the mirror. */
@Injectable()
export class MirrorStore {
  private readonly keys: TaskKeys;
  private readonly cancels = new Map<MirroredKind, CancelMirrored>();

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(TaskOptions) private readonly options: TaskOptions,
    private readonly served: ServedPosition,
    private readonly clock: RedisClock,
  ) {
    this.keys = new TaskKeys(options.keyPrefix);
  }

  /** Set by the module that can reach other agents or tools; without it, cancels wait for a process that has it. */
  onCancel(cancel: CancelMirrored, kind: MirroredKind = 'agent'): void {
    this.cancels.set(kind, cancel);
  }

  /** Records the mirrored task; undefined removes it. Returns false when the task has ended. */
  async mark(id: string, mirrored: Omit<Mirrored, 'since'> | undefined): Promise<boolean> {
    const mark = mirrored === undefined ? '' : JSON.stringify({ ...mirrored, since: this.clock.now() });
    const reply = await TASK_SCRIPTS.mirror.run(
      this.redis,
      { task: this.keys.task(id) },
      { id, mark, openStates: OPEN_STATES },
    );
    return reply === 'OK';
  }

  /**
   * Records a possible change of the mirrored task. `woken`: its wait has ended, and its run is in the fair queue;
   * `noted`: its next wait ends at once; `known`: the digest is that of one of the last hints; `gone`: the task has
   * ended, or is missing.
   */
  async hint(id: string, digest: string): Promise<'woken' | 'noted' | 'known' | 'gone'> {
    const shard = shardOf(id);
    const keys = {
      ...{ task: this.keys.task(id), due: this.keys.due(shard), parked: this.keys.parked(shard) },
      ...this.keys.queuesOf(id),
    };
    const reply = await TASK_SCRIPTS.hint.run(this.redis, keys, {
      ...{ id, openStates: OPEN_STATES, hintSignal: HINT, digest },
      ...{ stuckMs: this.options.stuckTtlMs, elsewhere: this.served.latest },
    });
    const [verdict, served] = reply as readonly [keyof typeof HINTED, number?];
    this.served.observe(served);
    return HINTED[verdict];
  }

  /** The metadata of the message that began the tree of a task; undefined without any, or when it is deleted. */
  async beganWith(id: string): Promise<JsonObject | undefined> {
    const traits = await this.redis.hget(this.keys.task(id), FIELD.traits);
    if (traits === null) return undefined;
    const root = traitsOf(traits).tree?.root ?? id;
    const first = await this.redis.hget(this.keys.task(root), FIELD.firstMessage);
    return first === null ? undefined : (JSON.parse(first) as Message).metadata;
  }

  /** The trace of a task's caller, as headers. */
  async traceOf(id: string): Promise<Readonly<Record<string, string>>> {
    const [traceparent, tracestate] = await this.redis.hmget(this.keys.task(id), FIELD.traceparent, FIELD.tracestate);
    return {
      ...(typeof traceparent === 'string' ? { traceparent } : {}),
      ...(typeof tracestate === 'string' ? { tracestate } : {}),
    };
  }

  /**
   * Cancels the mirrored task of an ended one. Returns the time of the next attempt; undefined when nothing is left to
   * do.
   */
  async cancel(id: string): Promise<number | undefined> {
    const now = this.clock.now();
    const mark = await this.redis.hget(this.keys.task(id), FIELD.mirrored);
    if (mark === null) return undefined;
    const mirrored = JSON.parse(mark) as Mirrored;
    if (now - mirrored.since > MAX_MS) return undefined;
    const cancelMirrored = this.cancels.get(mirrored.kind ?? 'agent');
    if (cancelMirrored === undefined) return now + UNREACHED_MS;
    return (await cancelMirrored(mirrored)) ? undefined : now + CANCEL_AGAIN_MS;
  }
}

const HINTED = { WOKEN: 'woken', NOTED: 'noted', KNOWN: 'known', GONE: 'gone' } as const;

/** Time from the beginning of its task for which another agent is asked to cancel. */
const MAX_MS = 7 * 86_400_000;
/** Time for which a process without access to agents leaves a cancel to others. */
const UNREACHED_MS = 2000;
