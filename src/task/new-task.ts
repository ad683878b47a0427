import type { JsonObject } from '../protocol/json.js';
import type { Message } from '../protocol/message.js';
import type { ProtocolVersion } from '../protocol/protocol-version.js';
import type { TraceCarrier } from '../platform/tracing/trace-carrier.js';
import { digestOf, digestOfClientTask } from './task.keys.js';

/** What is needed to begin a task. */
export interface NewTask {
  /** From `newId`, with the same owner and message. */
  readonly id: string;
  readonly owner: string;
  readonly tenant: string;
  readonly client: string;
  readonly subject?: string;
  readonly message: Message;
  /** The client's context; a new one is made when absent (A2A-SEND-09). */
  readonly contextId?: string;
  /** The skill to run, or why no skill will: such a task is born REJECTED. */
  readonly fate: { readonly skillId: string; readonly maxAttempts?: number } | { readonly rejection: string };
  readonly metadata?: JsonObject;
  readonly acceptedOutputModes?: readonly string[];
  /** Distinguishes a repeated request from another one with the same message id. */
  readonly requestHash: string;
  /** The name that the client gave the task, where it names its tasks itself; `id` is then from `idOfClientTask`. */
  readonly clientTaskId?: string;
  /** The protocol version of the call: answers to later calls without a version are written in it. */
  readonly dialect: ProtocolVersion;
  /** The place in the caller's trace from which queue, worker and webhooks continue. */
  readonly trace?: TraceCarrier;
  /** Channel of the process that waits for the events of this task. */
  readonly replyTo?: string;
  /** A webhook that hears of the task from its first event on (A2A-SEND-16), as `PushConfigs.prepare` makes it. */
  readonly push?: { readonly id: string; readonly record: string };
}

/** By what a repetition is known: the message, or the client's own name for the task. */
export function digestOfNew({ owner, message, clientTaskId }: NewTask): string {
  return clientTaskId === undefined ? digestOf(owner, message.messageId) : digestOfClientTask(owner, clientTaskId);
}

/** The fields of the stored task that do not change with its status: name, value, name, value. */
export function fieldsOf(
  input: NewTask,
  made: { contextId: string; metadata: string; head: string },
): readonly string[] {
  return Object.entries({
    owner: input.owner,
    tenant: input.tenant,
    client: input.client,
    subject: input.subject ?? '',
    context: made.contextId,
    skill: 'skillId' in input.fate ? input.fate.skillId : '',
    limit: 'skillId' in input.fate ? String(input.fate.maxAttempts ?? '') : '',
    metadata: made.metadata,
    modes: JSON.stringify(input.acceptedOutputModes ?? []),
    dialect: input.dialect,
    ...(input.clientTaskId === undefined ? {} : { external: input.clientTaskId }),
    trace: input.trace?.traceparent ?? '',
    ...(input.trace?.tracestate === undefined ? {} : { tracestate: input.trace.tracestate }),
    reply: input.replyTo ?? '',
    head: made.head,
    turn: '1',
    fence: '0',
    attempts: '0',
    artifacts: '0',
  }).flat();
}
