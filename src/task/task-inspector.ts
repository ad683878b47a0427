import { Inject, Injectable } from '@nestjs/common';
import type { TaskState } from '../protocol/task-state.js';
import { CommandRedis } from '../platform/redis/connections.js';
import { isTaskId, TaskKeys } from './task.keys.js';
import { TaskOptions } from './task.options.js';

/** What an operator asks of one task. */
export interface TaskFacts {
  readonly id: string;
  readonly owner: string;
  readonly tenant: string;
  readonly contextId: string;
  /** '' where no skill took the task. */
  readonly skill: string;
  readonly state: TaskState;
  /** When it came into this state. */
  readonly since: string;
  /** Number of the latest event. */
  readonly events: number;
  readonly turn: number;
  /** Runs of this turn that have begun, lost ones included. */
  readonly attempts: number;
  readonly isCancelRequested: boolean;
  /** The run that holds the task; absent while nobody runs it. */
  readonly run?: { readonly worker: string; readonly leaseEndsInMs: number };
}

const FIELDS = ['owner', 'tenant', 'context', 'skill', 'state', 'ts', 'seq', 'turn', 'attempts', 'cancel'] as const;

/** The operator's side of task state: reads tasks of every owner, and changes none. */
@Injectable()
export class TaskInspector {
  private readonly keys: TaskKeys;

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(TaskOptions) options: TaskOptions,
  ) {
    this.keys = new TaskKeys(options.keyPrefix);
  }

  /** Undefined when there is no such task. */
  async inspect(id: string): Promise<TaskFacts | undefined> {
    if (!isTaskId(id)) return undefined;
    const values = await this.redis.hmget(this.keys.task(id), ...FIELDS, 'worker', 'nonce', 'lease');
    const [owner, tenant, context, skill, state, ts, seq, turn, attempts, cancel, worker, nonce, lease] = values.map(
      (value) => value ?? '',
    );
    if (owner === undefined || owner === '') return undefined;
    const run = nonce === '' ? {} : { run: { worker: this.processOf(worker), leaseEndsInMs: await this.until(lease) } };
    return {
      ...{ id, owner, tenant: tenant ?? '', contextId: context ?? '', skill: skill ?? '', since: ts ?? '' },
      // The scripts write no other texts.
      state: state as TaskState,
      ...{ events: Number(seq), turn: Number(turn), attempts: Number(attempts), isCancelRequested: cancel !== '' },
      ...run,
    };
  }

  /** The skill of each task, '' where none took it or the task is gone. */
  async skillsOf(ids: readonly string[]): Promise<readonly string[]> {
    return Promise.all(ids.map(async (id) => (await this.redis.hget(this.keys.task(id), 'skill')) ?? ''));
  }

  /** The id of a process, from the channel on which it hears of its runs. */
  private processOf(channel = ''): string {
    return channel.slice(this.keys.process('').length).split(':', 1)[0] ?? '';
  }

  /** Leases end by the clock of Redis. */
  private async until(ms = ''): Promise<number> {
    const [seconds, micros] = await this.redis.time();
    return Number(ms) - Math.floor(Number(seconds) * 1000 + Number(micros) / 1000);
  }
}
