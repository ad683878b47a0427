import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { RunRedis } from '../../platform/redis/connection/connections.js';
import type { Message } from '@parley/protocol/model/message.js';
import { TaskKeys } from '../task.keys.js';
import { TaskOptions } from '../task.options.js';

/** The caller that sent a message, as authenticated when the message was accepted. */
export interface MessageSender {
  readonly tenant: string;
  readonly client: string;
  /** The person or service that the client acted for; absent when it acted for itself. */
  readonly subject?: string;
  /** Of its credential; none for the caller of the open start, which has no credential. */
  readonly scopes: readonly string[];
}

/**
 * The senders of the messages that continue a task; the task itself has the caller that created it. resume.lua records
 * a sender with the message that it accepts: at most one per message, and none for a refused one.
 */
@Injectable()
export class SenderStore {
  private readonly keys: TaskKeys;

  constructor(
    @Inject(RunRedis) private readonly redis: RunRedis,
    @Inject(TaskOptions) options: TaskOptions,
  ) {
    this.keys = new TaskKeys(options.keyPrefix);
  }

  /** The senders of these messages, in their order; undefined for one without a record. */
  async of(taskId: string, messages: readonly Message[]): Promise<readonly (MessageSender | undefined)[]> {
    if (messages.length === 0) return [];
    const found = await this.redis.hmget(this.keys.senders(taskId), ...messages.map(digestOf));
    return found.map((text) => (text === null ? undefined : (JSON.parse(text) as MessageSender)));
  }
}

/** Identifies a message by its id **and** content: with other content the id has another sender. */
export function digestOf({ messageId, parts }: Message): string {
  return hash('sha256', JSON.stringify([messageId, parts]), 'base64url');
}
