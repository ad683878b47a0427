import { randomUUID } from 'node:crypto';
import type { Message } from '@parley/protocol/model/message.js';

/** A message of the agent that belongs to a task (A2A-SEND-22). */
export function agentMessage(taskId: string, contextId: string, text: string): Message {
  return { messageId: randomUUID(), role: 'ROLE_AGENT', taskId, contextId, parts: [{ text }] };
}
