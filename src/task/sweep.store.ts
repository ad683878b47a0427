import { Inject, Injectable } from '@nestjs/common';
import { isTerminal, type TaskState } from '../protocol/task-state.js';
import { CommandRedis } from '../platform/redis/connections.js';
import { CLOSED_STATES, leadingTo, OPEN_STATES, WAITING_STATES } from './task-rules.js';
import { statusEventTail, statusText } from './task-json.js';
import { newNonce, SHARDS, TaskKeys } from './task.keys.js';
import { TaskOptions } from './task.options.js';
import { TASK_SCRIPTS } from './task.scripts.js';
import { agentMessage } from './task.store.js';

/** Why a task must end although no run of it says so. */
export type Downfall = 'CANCEL_OVERDUE' | 'ATTEMPTS_SPENT' | 'UNANSWERED' | 'NEVER_RUN';

export type Verdict =
  | { readonly kind: 'later' | 'purge' }
  /** Its job is missing. */
  | { readonly kind: 'run'; readonly fence: number; readonly place: number }
  /** The lease of its run has ended. */
  | { readonly kind: 'again'; readonly fence: number }
  | { readonly kind: 'end'; readonly why: Downfall; readonly fence: number };

/** The sweep's side of task state: what is due, what it has come to, and its end. */
@Injectable()
export class SweepStore {
  private readonly keys: TaskKeys;

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(TaskOptions) private readonly options: TaskOptions,
  ) {
    this.keys = new TaskKeys(options.keyPrefix);
  }

  /** Tasks whose time has come by the server's clock, at most `limit` of each shard. */
  async due(limit: number): Promise<readonly string[]> {
    const now = await this.now();
    const shards = Array.from({ length: SHARDS }, (_unused, shard) =>
      this.redis.zrangebyscore(this.keys.due(shard), '-inf', now, 'LIMIT', 0, limit),
    );
    return (await Promise.all(shards)).flat();
  }

  async look(id: string): Promise<Verdict> {
    const { maxAttempts, jobGraceMs, cancelGraceMs, stuckTtlMs } = this.options;
    const reply = await TASK_SCRIPTS.look.run(this.redis, this.keysOf(id), [
      ...[id, OPEN_STATES, WAITING_STATES],
      ...[maxAttempts, jobGraceMs, cancelGraceMs, stuckTtlMs],
    ]);
    const [verdict, fence = 0, place = 0] = reply as ['LATER' | 'PURGE' | 'RUN' | 'AGAIN' | Downfall, number?, number?];
    if (verdict === 'LATER') return { kind: 'later' };
    if (verdict === 'PURGE') return { kind: 'purge' };
    if (verdict === 'RUN') return { kind: 'run', fence, place };
    return verdict === 'AGAIN' ? { kind: 'again', fence } : { kind: 'end', why: verdict, fence };
  }

  /** Ends a task whose run is still the one of `fence`; false when it has moved on. */
  async settle(id: string, fence: number, state: TaskState, text?: string): Promise<boolean> {
    if (!isTerminal(state)) throw new RangeError(`${state} does not end a task`);
    const contextId = (await this.redis.hget(this.keys.task(id), 'context')) ?? '';
    const status = statusText(state, new Date(), text === undefined ? undefined : agentMessage(id, contextId, text));
    const reply = await TASK_SCRIPTS.settle.run(this.redis, this.keysOf(id), [
      ...[id, fence, newNonce(), leadingTo(state), state],
      ...[statusEventTail(status), status.timestamp, status.ms, status.message],
      this.options.terminalTtlMs,
    ]);
    return (reply as [string])[0] === 'SETTLED';
  }

  /** Removes a task: only when it is finished, unless `whatever` its state. False when it may not go. */
  async purge(id: string, which: 'finished' | 'whatever'): Promise<boolean> {
    const states = which === 'finished' ? CLOSED_STATES : '*';
    return (await TASK_SCRIPTS.purge.run(this.redis, this.keysOf(id), [id, states])) === 1;
  }

  /** The server's clock, ms since 1970. */
  private async now(): Promise<number> {
    const [seconds, micros] = await this.redis.time();
    return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
  }

  private keysOf(id: string): readonly string[] {
    return [this.keys.task(id), this.keys.dueOf(id)];
  }
}
