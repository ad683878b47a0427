import { Inject, Injectable } from '@nestjs/common';
import { Budget, type Share } from '../../platform/traffic/budget.js';
import { partOfRoom } from '../../platform/traffic/process-memory.js';
import { CommandRedis } from '../../platform/redis/connection/connections.js';
import { EventLog, type LoggedEvent } from '../../tasks/commit/event-log.js';
import { PushKeys } from '../push.keys.js';
import { PushOptions } from '../push.options.js';
import type { PushRecord } from '../config/push-record.js';
import { FIELD } from '../../tasks/task-fields.js';

/** Bodies from this size on count against the room. */
const LARGE_BYTES = 256 * 1024;
const PROCESS_BYTES = partOfRoom(1 / 4, 16, 256);

/**
 * Bounds the large webhook bodies in progress in this process, in sum and per client, so that slow receivers of one
 * client neither exhaust memory nor block others (I15). Room is reserved before an event or a task is read.
 */
@Injectable()
export class LargeDeliveries {
  private readonly budget = new Budget(
    { process: PROCESS_BYTES, client: Math.floor(PROCESS_BYTES / 2) },
    () => new Error('There is no room for a large delivery'),
  );
  private readonly keys: PushKeys;

  constructor(
    private readonly log: EventLog,
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(PushOptions) options: PushOptions,
  ) {
    this.keys = new PushKeys(options.keyPrefix);
  }

  /** @param bytes size of the next event if it is large */
  async makeRoom(record: PushRecord, bytes: number): Promise<Share | 'small' | 'no-room'> {
    const body = sendsTask(record) ? await this.taskBytes(record.taskId) : bytes;
    if (body < LARGE_BYTES) return 'small';
    const { tenant, client } = record;
    return this.budget.tryTake(JSON.stringify([tenant, client]), body) ?? 'no-room';
  }

  /** The event of a number; empty when it is gone. */
  async eventAt(taskId: string, seq: number): Promise<readonly [] | readonly [LoggedEvent]> {
    const page = await this.log.page(taskId, seq, 1);
    const event = page?.events[0];
    return event?.seq === seq ? [event] : [];
  }

  private async taskBytes(taskId: string): Promise<number> {
    const sizes = await this.redis.hmget(this.keys.task(taskId), FIELD.messageBytes, FIELD.resultBytes);
    return sizes.reduce((sum, size) => sum + Number(size ?? 0), 0);
  }
}

/** Versions before 1.0 send the whole task with each event. */
function sendsTask({ dialect, isOfEvents }: PushRecord): boolean {
  return dialect !== '1.0' && isOfEvents !== true;
}
