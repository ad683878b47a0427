import type { AgentCard } from '@parley/protocol/model/agent-card.js';
import type { Message, Part } from '@parley/protocol/model/message.js';
import type { TaskPushNotificationConfig } from '@parley/protocol/model/push-config.js';
import type { Artifact } from '@parley/protocol/model/task.js';
import type { AgentClient } from '@parley/client/call/agent-client.js';
import type { CallFault } from '@parley/sdk/skill/calls/call.js';
import type { SkillPrincipal } from '@parley/sdk/skill/skill.js';
import { hasEnded, isAtRest, type RemoteState, type RemoteTask } from '@parley/protocol/remote/remote-model.js';
import type { AgentDirectory, ReachableAgent } from '../directory/agent-directory.js';
import type { RemoteAgent } from '../directory/agent-file.js';
import { type ExposedSkill, isAsPinned } from '../directory/exposed-skill.js';
import type { A2AErrorName, FieldViolation } from '@parley/protocol/model/errors.js';
import { invalidAnswer, RemoteError } from '@parley/client/http/remote-errors.js';
import { inputFaults } from './input-faults.js';

/** What came of sending a message: JSON, for the journal. */
export type Sent =
  | {
      readonly kind: 'task';
      readonly taskId: string;
      readonly contextId: string;
      readonly state: RemoteState;
      /** The agent has taken a webhook for the task. */
      readonly push?: true;
    }
  /** A direct answer. */
  | { readonly kind: 'message'; readonly contextId: string | null; readonly parts: readonly Part[] }
  | { readonly kind: 'again'; readonly afterMs: number; readonly text: string; readonly why?: CallFault }
  | { readonly kind: 'failed'; readonly text: string; readonly why?: CallFault }
  /** Nobody knows whether the agent has begun. */
  | { readonly kind: 'unknown'; readonly text: string };

/** How a task of another agent is: JSON, for the journal. */
export type Look =
  | { readonly kind: 'open'; readonly text: string }
  | { readonly kind: 'asks'; readonly state: RemoteState; readonly parts: readonly Part[] }
  | { readonly kind: 'ended' }
  /** No answer now. */
  | { readonly kind: 'down'; readonly afterMs: number }
  | { readonly kind: 'failed'; readonly text: string; readonly why?: CallFault };

/** The end of a task of another agent. */
export interface RemoteEnd {
  readonly state: RemoteState;
  readonly parts: readonly Part[];
  readonly artifacts: readonly Artifact[];
}

/** Words of an agent are cut here where they become part of an error. */
const MOST_TEXT = 2000;

/** Calls to one remote agent, with outcomes as values. */
export class RemoteCalls {
  constructor(
    private readonly agents: AgentDirectory,
    readonly agent: RemoteAgent,
    /** The one skill that callers see here; absent: skills of this service call the agent. */
    private readonly shown?: ExposedSkill,
    /** For whom the agent is called. */
    private readonly caller?: SkillPrincipal,
  ) {}

  /** The same calls for a caller. */
  of(caller: SkillPrincipal | undefined): RemoteCalls {
    return new RemoteCalls(this.agents, this.agent, this.shown, caller);
  }

  /** What of a message does not fit the agent's own contract, as far as its card is known here: nothing is sent to find out (O-05). */
  inputFaults(message: Pick<Message, 'parts'>): readonly FieldViolation[] {
    const card = this.agents.knownCard(this.agent);
    return card === undefined ? [] : inputFaults(card, this.agent.skill, message);
  }

  /** Registers the webhook with the message, where the card says that the agent has such. */
  async send(message: Message, { webhook, ...terms }: SendTerms): Promise<Sent> {
    try {
      return await this.reach(async ({ client, card }) => {
        if (this.shown !== undefined && !isAsPinned(card, this.shown)) return this.otherThanPinned(this.shown);
        const faults = inputFaults(card, this.agent.skill, message);
        if (faults.length > 0) return this.misfit(faults);
        if (webhook === undefined || !this.isPushed(card)) return await sent(client, message, terms);
        try {
          const outcome = await sent(client, message, { ...terms, webhook });
          return outcome.kind === 'task' ? { ...outcome, push: true } : outcome;
        } catch (error) {
          // Nothing has begun: the agent does not take this webhook, whatever its card says.
          if (!REFUSES_WEBHOOKS.has(remoteError(error).protocolFault)) throw error;
          return sent(client, message, terms);
        }
      });
    } catch (error) {
      return this.failedSend(remoteError(error));
    }
  }

  /** What callers were shown is not what the agent says of itself now: nothing is sent. */
  private otherThanPinned({ remoteId }: ExposedSkill): Sent {
    const { name } = this.agent;
    return {
      kind: 'failed',
      text: `The skill ${remoteId} of ${name} is off: its card differs from AGENTS_FILE`,
      why: 'remote',
    };
  }

  /** Nothing was sent. */
  private misfit(faults: readonly FieldViolation[]): Sent {
    const wrong = faults.map(({ field, description }) => `${field}: ${description}`).join('; ');
    const text = `The agent ${this.agent.name} takes no such input: ${wrong}`.slice(0, MOST_TEXT);
    return { kind: 'failed', text, why: 'schema' };
  }

  private isPushed({ capabilities }: AgentCard): boolean {
    const { mode } = this.agent;
    return mode === 'push' || (mode === 'auto' && capabilities.pushNotifications === true);
  }

  /** The task that a message has begun, among those of its context; undefined when it cannot be found out. */
  async findSent(messageId: string, contextId: string): Promise<Sent | undefined> {
    try {
      const params = { contextId, historyLength: 100, pageSize: 50 };
      const { tasks } = await this.reach(({ client }) => client.listTasks(params));
      const found = tasks.find(({ history = [] }) => history.some((one) => one.messageId === messageId));
      if (found === undefined) return undefined;
      return { kind: 'task', taskId: found.id, contextId: found.contextId, state: found.status.state };
    } catch (error) {
      remoteError(error);
      return undefined;
    }
  }

  /** @param noted gets the end of a task that has ended: it may be too large for the journal, and need not be asked for again */
  async look(taskId: string, noted: (end: RemoteEnd) => void = () => undefined): Promise<Look> {
    try {
      const task = await this.get(taskId);
      const { status } = task;
      if (hasEnded(status.state)) {
        if (!isSilent(task)) noted(endOf(task));
        return { kind: 'ended' };
      }
      const parts = status.message?.parts ?? [];
      if (isAtRest(status.state)) return { kind: 'asks', state: status.state, parts };
      return { kind: 'open', text: textOf(parts) };
    } catch (error) {
      const failed = remoteError(error);
      if (failed.isRetryable) return { kind: 'down', afterMs: failed.retryAfterMs ?? 0 };
      return { kind: 'failed', text: this.words(failed), why: whyOf(failed) };
    }
  }

  /** @throws RemoteError */
  async end(taskId: string): Promise<RemoteEnd> {
    const task = await this.get(taskId);
    return isSilent(task) ? endOf(await this.get(taskId, LAST_MESSAGES)) : endOf(task);
  }

  /** Returns whether nothing is left to be done: the task is canceled, has ended, or cannot be canceled. */
  async cancel(taskId: string): Promise<boolean> {
    try {
      await this.reach(({ client }) => client.cancelTask({ id: taskId }));
      return true;
    } catch (error) {
      return !remoteError(error).isRetryable;
    }
  }

  private reach<T>(call: (reached: ReachableAgent) => Promise<T>): Promise<T> {
    return this.agents.call(this.agent, call, { caller: this.caller });
  }

  private get(id: string, historyLength = 0): Promise<RemoteTask> {
    return this.reach(async ({ client }) => {
      const task = await client.getTask({ id, historyLength });
      if (task.id !== id) throw invalidAnswer('The answer is about another task');
      return task;
    });
  }

  private failedSend(error: RemoteError): Sent {
    const text = this.words(error);
    if (error.isDoubtful && this.agent.resend === 'never') return { kind: 'unknown', text };
    const why = whyOf(error);
    if (error.isRetryable) return { kind: 'again', afterMs: error.retryAfterMs ?? 0, text, why };
    return error.isDoubtful ? { kind: 'unknown', text } : { kind: 'failed', text, why };
  }

  private words(error: RemoteError): string {
    return `The agent ${this.agent.name}: ${error.message}`.slice(0, MOST_TEXT);
  }
}

/** What is sent beside the message. */
export interface SendTerms {
  readonly acceptedOutputModes: readonly string[];
  readonly trace: Trace;
  /** Where the agent is to report that the task has changed; absent: the task is polled. */
  readonly webhook?: TaskPushNotificationConfig | undefined;
}

/** Faults by which agents refuse a webhook; those that mean something else as well come again without it. */
const REFUSES_WEBHOOKS: ReadonlySet<A2AErrorName | undefined> = new Set([
  'PushNotificationNotSupported',
  'UnsupportedOperation',
  'InvalidParams',
]);

async function sent(
  client: AgentClient,
  message: Message,
  { acceptedOutputModes, trace, webhook }: SendTerms,
): Promise<Sent> {
  const configuration = {
    returnImmediately: true,
    ...(acceptedOutputModes.length === 0 ? {} : { acceptedOutputModes }),
    ...(webhook === undefined ? {} : { taskPushNotificationConfig: webhook }),
  };
  const reply = await client.sendMessage({ message, configuration }, { headers: trace });
  if ('task' in reply) {
    const { id: taskId, contextId, status } = reply.task;
    return { kind: 'task', taskId, contextId, state: status.state };
  }
  return { kind: 'message', contextId: reply.message.contextId ?? null, parts: reply.message.parts };
}

/** Headers of a trace (W3C Trace Context). */
export type Trace = Readonly<Record<string, string>>;

/** Messages of the end of a history that may have the result. */
const LAST_MESSAGES = 20;

/** Whether a task has ended with nothing to say: some agents have their result in the history (Microsoft Agent Framework). */
function isSilent({ status, artifacts = [] }: RemoteTask): boolean {
  return (status.message?.parts ?? []).length === 0 && artifacts.length === 0;
}

function endOf(task: RemoteTask): RemoteEnd {
  const { status, artifacts = [], history = [] } = task;
  const last = isSilent(task) ? history.findLast(({ role }) => role === 'ROLE_AGENT') : undefined;
  return { state: status.state, parts: last?.parts ?? status.message?.parts ?? [], artifacts };
}

/** The text parts of something that an agent has said, cut. */
export function textOf(parts: readonly Part[]): string {
  return parts
    .flatMap((part) => ('text' in part ? [part.text] : []))
    .join('\n')
    .slice(0, MOST_TEXT);
}

/** Why the call of a flow has no result. */
function whyOf({ kind }: RemoteError): CallFault {
  if (kind === 'auth') return 'auth';
  return kind === 'left-alone' ? 'breaker' : 'remote';
}

/** Anything but a fault of the call is a fault of this service, and thrown on. */
function remoteError(error: unknown): RemoteError {
  if (error instanceof RemoteError) return error;
  throw error;
}
