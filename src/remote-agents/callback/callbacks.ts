import { createHmac, timingSafeEqual } from 'node:crypto';
import type { TaskPushNotificationConfig } from '@parley/protocol/model/push-config.js';

/** The endpoint to which agents of other services report a change of one of their tasks. */
export interface CallbackOptions {
  /** The public URL of this service, without a trailing slash. */
  readonly url: string;
  /** Secrets shared by all processes; the first one signs, all verify. */
  readonly masterKeys: readonly [MasterKey, ...MasterKey[]];
}

interface MasterKey {
  readonly id: string;
  readonly secret: string;
}

/** Path of the callback endpoint. */
export const CALLBACK_PATH = '/callbacks/';

/** Signed together with the id, so that no other HMAC of the same key is a valid token. */
const PURPOSE = 'parley callback 1';

/**
 * Webhooks that this service registers at other agents, one per mirrored task. Stores nothing: the token is an HMAC of
 * the task's id, and is useless once the task has ended.
 */
export class Callbacks {
  constructor(private readonly options: CallbackOptions) {}

  /**
   * The webhook of a mirror. Agents send the token in either of two headers. A fixed id makes a repeated registration
   * idempotent.
   */
  webhookOf(taskId: string): TaskPushNotificationConfig {
    const { url, masterKeys } = this.options;
    const token = tokenOf(masterKeys[0], taskId);
    return {
      ...{ id: taskId, url: `${url}${CALLBACK_PATH}${taskId}`, token },
      authentication: { scheme: 'Bearer', credentials: token },
    };
  }

  /** Whether one of the tokens is that of the task's webhook. Compares in constant time. */
  isGenuine(taskId: string, tokens: readonly string[]): boolean {
    const wanted = this.options.masterKeys.map((key) => Buffer.from(tokenOf(key, taskId)));
    const given = tokens.map((token) => Buffer.from(token));
    return given.filter((one) => wanted.some((token) => isEqual(one, token))).length > 0;
  }
}

function tokenOf({ secret }: MasterKey, taskId: string): string {
  return createHmac('sha256', secret).update(`${PURPOSE} ${taskId}`).digest('base64url');
}

function isEqual(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
