import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Message } from '@parley/protocol/model/message.js';
import type { ProtocolVersion } from '@parley/protocol/model/protocol-version.js';
import type { CallTrace } from '../../platform/tracing/trace-carrier.js';
import type { JournalEntry } from './journal-entries.js';
import type { TaskRest, TaskTraits, TransferRecord, TreePlace } from './task-record.js';
import { digestOf, digestOfClientTask } from '../task.keys.js';

/** The skill to run, or the reason for having none: such a task is created REJECTED. */
export type NewRouting =
  | {
      readonly skillId: string;
      readonly maxAttempts?: number | undefined;
      /** Whether the skill has its own concurrency limit: such runs have a separate queue. */
      readonly isLimited?: boolean | undefined;
      /** The version of the skill; absent for 0. */
      readonly version?: number | undefined;
    }
  | { readonly rejection: string };

/** The input for creating a task. */
export interface NewTask {
  /** From `newId`, with the same owner, client and message. */
  readonly id: string;
  readonly owner: string;
  readonly tenant: string;
  readonly client: string;
  readonly subject?: string | undefined;
  readonly message: Message;
  /** JSON of the message, if it has been encoded already. */
  readonly messageText?: string | undefined;
  /** The identity of a repeat (`digestOfNew`), if it has been computed already. */
  readonly digest?: string | undefined;
  /** The client's context; generated when absent (A2A-SEND-09). */
  readonly contextId?: string | undefined;
  readonly routing: NewRouting;
  readonly metadata?: JsonObject | undefined;
  readonly acceptedOutputModes?: readonly string[] | undefined;
  /** Distinguishes a repeated request from another one with the same message id. */
  readonly requestHash: string;
  /** The client's own name of the task, if it names its tasks; `id` is then from `idOfClientTask`. */
  readonly clientTaskId?: string | undefined;
  /** The protocol version of the call: answers to later calls without a version are written in it. */
  readonly dialect: ProtocolVersion;
  /** The caller's trace context, which queue, worker and webhooks continue. */
  readonly trace?: CallTrace | undefined;
  /** Scopes of the caller that skills require, as rights of the task's children. */
  readonly scopes?: readonly string[] | undefined;
  /** Whether remote and irreversible calls are forbidden (debug mode). */
  readonly isSimulated?: boolean | undefined;
  /** For a child: its position in its tree, and its path there. */
  readonly tree?: TreePlace & { readonly path: string; readonly transfers?: readonly TransferRecord[] | undefined };
  /** Number of published events that led to it. */
  readonly hops?: number | undefined;
  /** Whether its bytes count for its client and its tenant. Default false. */
  readonly isCounted?: boolean;
  /** Channel of the process that waits for the events of this task. */
  readonly replyTo?: string | undefined;
  /** Results of steps taken over from another task (snapshots/taken-steps.ts). */
  readonly journal?: readonly JournalEntry[] | undefined;
  /** A webhook for all events of the task (A2A-SEND-16), from `PushConfigs.prepare`. */
  readonly push?: { readonly id: string; readonly record: string } | undefined;
}

/** The identity of a repeat: the message of this client, or the client's own name for the task. */
export function digestOfNew({
  owner,
  client,
  message,
  clientTaskId,
  digest,
}: Pick<NewTask, 'owner' | 'client' | 'message' | 'clientTaskId' | 'digest'>): string {
  if (digest !== undefined) return digest;
  return clientTaskId === undefined
    ? digestOfMessage(owner, client, message.messageId)
    : digestOfClientTask(owner, clientTaskId);
}

/** Clients that share their tasks do not share the ids of their messages. */
export function digestOfMessage(owner: string, client: string, messageId: string): string {
  return digestOf(owner, client, 'message', messageId);
}

/** The constant members of a new task. */
export function traitsOfNew(input: NewTask, digest: string): TaskTraits {
  const { tenant, client, routing, contextId, isCounted, tree } = input;
  const isSkill = 'skillId' in routing;
  return {
    tenant,
    skillId: isSkill ? routing.skillId : '',
    maxAttempts: isSkill ? routing.maxAttempts : undefined,
    isLimited: isSkill && routing.isLimited === true,
    // A child is in no list of its context.
    isNamed: contextId !== undefined && tree === undefined,
    digest,
    client: isCounted === true ? clientAccount(tenant, client) : undefined,
    tree,
  };
}

/** The remaining members for runs and readers (`TaskRest`), as JSON. */
export function restText(input: NewTask, born: number): string {
  const { client, subject, acceptedOutputModes: modes, dialect, clientTaskId: external } = input;
  const { scopes, hops, tree, routing } = input;
  const version = 'skillId' in routing ? routing.version : undefined;
  const rest: TaskRest = {
    born,
    client,
    subject,
    modes,
    dialect,
    external,
    scopes,
    hops,
    path: tree?.path,
    version,
    transfers: tree?.transfers,
    simulated: input.isSimulated === true ? true : undefined,
  };
  return JSON.stringify(rest);
}

/** The account for a client's bytes. */
export function clientAccount(tenant: string, client: string): string {
  return `${encodeURIComponent(tenant)}/${encodeURIComponent(client)}`;
}
