import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { RunRedis } from '../platform/redis/connections.js';
import type { Message } from '../protocol/message.js';
import { TaskKeys } from './task.keys.js';
import { TaskOptions } from './task.options.js';
import { TASK_SCRIPTS } from './task.scripts.js';

/** The caller that sent a message, as it was proven when the message was taken in. */
export interface MessageSender {
  readonly tenant: string;
  readonly client: string;
  /** The person or service that the client acted for; absent when it acted for itself. */
  readonly subject?: string;
  /** Of its credential; none for the caller of the open start, which has no credential. */
  readonly scopes: readonly string[];
}

/** Maximum number of recorded senders of a task; senders of further messages are unknown. */
const MOST_SENDERS = 500;

/**
 * The senders of the messages that continue a task; the task itself has the caller that created it. A record belongs to a
 * message's id **and** content, and the first record stays: no caller can attribute a message to another one.
 */
@Injectable()
export class SenderStore {
  private readonly keys: TaskKeys;

  constructor(
    @Inject(RunRedis) private readonly redis: RunRedis,
    @Inject(TaskOptions) private readonly options: TaskOptions,
  ) {
    this.keys = new TaskKeys(options.keyPrefix);
  }

  /** Call it before the message is stored, so that a run that gets the message finds its sender. */
  async record(taskId: string, message: Message, sender: MessageSender): Promise<void> {
    const { interruptedTtlMs } = this.options;
    const key = this.keys.senders(taskId);
    const values = [digestOf(message), JSON.stringify(sender), MOST_SENDERS, interruptedTtlMs];
    await TASK_SCRIPTS.sender.run(this.redis, [key], values);
  }

  /** The senders of these messages, in their order; undefined where none was recorded. */
  async of(taskId: string, messages: readonly Message[]): Promise<readonly (MessageSender | undefined)[]> {
    if (messages.length === 0) return [];
    const found = await this.redis.hmget(this.keys.senders(taskId), ...messages.map(digestOf));
    return found.map((text) => (text === null ? undefined : (JSON.parse(text) as MessageSender)));
  }
}

function digestOf({ messageId, parts }: Message): string {
  return hash('sha256', JSON.stringify([messageId, parts]), 'base64url');
}
