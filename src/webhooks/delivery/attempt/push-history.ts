import { Injectable } from '@nestjs/common';
import { taskNotFound } from '@parley/protocol/model/errors.js';
import { ConfigStore } from '../../config/config.store.js';
import type { AttemptLog } from './attempt.sender.js';

/** An attempt as shown to the owner of its task: without the cause of a failed connection, which would map networks. */
export type VisibleAttempt = Omit<AttemptLog, 'event' | 'tenant' | 'taskId'>;

/** The delivery history of a task's webhooks. */
export interface TaskPushHistory {
  readonly attempts: readonly VisibleAttempt[];
  /** The webhooks that were stopped: why and when. */
  readonly stopped: readonly { readonly configId: string; readonly reason: string; readonly at: string }[];
}

/** Reasons shown unchanged to an owner, besides `http_<status>`. */
const VISIBLE_REASONS = new Set(['aborted_by_receiver', 'retries_exhausted', 'endpoint_disabled', 'unreadable']);

/** The delivery history of a task's webhooks, for the owner of the task. */
@Injectable()
export class PushHistory {
  constructor(private readonly store: ConfigStore) {}

  /** The last attempts, oldest first. Throws `A2AError` TaskNotFound. */
  async of(owner: string, taskId: string): Promise<TaskPushHistory> {
    const known = await this.store.history(owner, taskId);
    if (known === undefined) throw taskNotFound();
    return {
      attempts: known.attempts.map((text) => visibleAttempt(JSON.parse(text) as AttemptLog)),
      stopped: Object.entries(known.stopped).map(([configId, text]) => {
        const { reason, at } = JSON.parse(text) as { reason: string; at: string };
        return { configId, reason: visibleReason(reason), at };
      }),
    };
  }
}

function visibleAttempt({ event: _event, tenant: _tenant, taskId: _taskId, ...line }: AttemptLog): VisibleAttempt {
  return line.reason === undefined ? line : { ...line, reason: visibleReason(line.reason) };
}

/** Shows all connection errors as `unreachable`: their causes would map networks that are not the owner's. */
function visibleReason(reason: string): string {
  return VISIBLE_REASONS.has(reason) || reason.startsWith('http_') ? reason : 'unreachable';
}
