import { A2AError, invalidParams, taskNotFound } from '@parley/protocol/model/errors.js';
import { tooManyWebhooks } from '../../webhooks/config/push-configs.js';
import type { ResumedMessage } from './task-entry.js';

/** An accepted message: its answer comes after the event with this number. */
export interface AcceptedMessage {
  readonly seq: number;
  /** Whether the same message was accepted before. */
  readonly repeated: boolean;
  /** Whether the task still waits for answers: no event need precede the caller's answer. */
  readonly asks?: boolean;
}

/** @throws A2AError when the task does not accept the message */
export function acceptedAs({ outcome, violations }: ResumedMessage, taskId: string): AcceptedMessage {
  switch (outcome.kind) {
    case 'not-found':
      throw taskNotFound();
    case 'terminal':
      throw new A2AError('UnsupportedOperation', 'The task is finished: it takes no more messages', {
        metadata: { taskId, state: outcome.state },
      });
    case 'context-mismatch':
      throw invalidParams([{ field: 'message.contextId', description: 'is not the context of the task' }]);
    case 'conflict':
      throw messageIdTaken(taskId);
    case 'journal-full':
      throw taskFull(taskId, 'too-many-bytes');
    case 'held':
    case 'unknown-question':
      throw invalidParams(violations);
    case 'asked':
      throw new A2AError('Unavailable', 'The questions of the task change too fast: please try again', {
        retryAfterSeconds: 1,
      });
    case 'too-many-messages':
    case 'too-many-bytes':
      throw taskFull(taskId, outcome.kind);
    case 'too-many-webhooks':
      throw tooManyWebhooks();
    case 'resumed':
    case 'woken':
    case 'answered':
    case 'queued':
    case 'sent':
      return { seq: outcome.seq, repeated: outcome.kind === 'sent', ...('asks' in outcome ? { asks: true } : {}) };
  }
}

const FULL_OF = {
  'too-many-messages': 'messages',
  'too-many-bytes': 'bytes of messages and results',
} as const;

/** A task is bounded, to bound its reads and runs: further work needs a task of its own. */
function taskFull(taskId: string, why: keyof typeof FULL_OF): A2AError {
  const what = FULL_OF[why];
  const text = `The task has as many ${what} as a task may have: begin another one, which may refer to it`;
  return new A2AError('UnsupportedOperation', text, { metadata: { taskId, limit: why } });
}

/** @param taskId the caller's task that has the other message */
export function messageIdTaken(taskId: string): A2AError {
  const field = 'message.messageId';
  const description = `was used before for a different message, of task ${taskId}: use a new messageId for another message`;
  const violations = [{ field, description }];
  return new A2AError('InvalidParams', `Invalid parameters: ${field}: ${description}`, {
    violations,
    metadata: { taskId },
  });
}
