import { SpanKind } from '@opentelemetry/api';
import { genAiAttributes, recordsGenAi } from '../../platform/tracing/gen-ai.js';
import { traced } from '../../platform/tracing/traced.js';
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

/** The outcome of sending a message: JSON, for the journal. */
export type Sent =
  | {
      readonly kind: 'task';
      readonly taskId: string;
      readonly contextId: string;
      readonly state: RemoteState;
      /** The agent has accepted a webhook for the task. */
      readonly push?: true;
    }
  /** A direct answer. */
  | { readonly kind: 'message'; readonly contextId: string | null; readonly parts: readonly Part[] }
  | { readonly kind: 'again'; readonly afterMs: number; readonly text: string; readonly why?: CallFault }
  | { readonly kind: 'failed'; readonly text: string; readonly why?: CallFault }
  /** Unknown whether the agent has begun. */
  | { readonly kind: 'unknown'; readonly text: string };

/** The polled state of another agent's task: JSON, for the journal. */
export type Poll =
  | { readonly kind: 'open'; readonly text: string }
  | { readonly kind: 'asks'; readonly state: RemoteState; readonly parts: readonly Part[] }
  | { readonly kind: 'ended' }
  /** No answer at present. */
  | { readonly kind: 'down'; readonly afterMs: number }
  | { readonly kind: 'failed'; readonly text: string; readonly why?: CallFault };

/** The end of another agent's task. */
export interface RemoteEnd {
  readonly state: RemoteState;
  readonly parts: readonly Part[];
  readonly artifacts: readonly Artifact[];
}

/** Characters of an agent's words that become part of an error. */
const MAX_TEXT = 2000;

/** Calls to one remote agent, with outcomes as values. */
export class RemoteCalls {
  constructor(
    private readonly agents: AgentDirectory,
    readonly agent: RemoteAgent,
    /** The one skill exposed to callers; absent: skills of this service call the agent. */
    private readonly shown?: ExposedSkill,
    /** The caller on whose behalf the agent is called. */
    private readonly caller?: SkillPrincipal,
  ) {}

  /** The same calls on behalf of a caller. */
  of(caller: SkillPrincipal | undefined): RemoteCalls {
    return new RemoteCalls(this.agents, this.agent, this.shown, caller);
  }

  /** Violations of the agent's contract as far as its card is cached; sends nothing (O-05). */
  inputFaults(message: Pick<Message, 'parts'>): readonly FieldViolation[] {
    const card = this.agents.knownCard(this.agent);
    return card === undefined ? [] : inputFaults(card, this.agent.skill, message);
  }

  /** Sends the message, with the webhook if the agent's card supports push notifications. */
  async send(message: Message, { webhook, ...terms }: SendTerms): Promise<Sent> {
    try {
      return await invokingRemote(this.agent.name, () =>
        this.reach(async ({ client, card }) => {
          if (this.shown !== undefined && !isAsPinned(card, this.shown)) return this.otherThanPinned(this.shown);
          const faults = inputFaults(card, this.agent.skill, message);
          if (faults.length > 0) return this.misfit(faults);
          if (webhook === undefined || !this.isPushed(card)) return await sent(client, message, terms);
          try {
            const outcome = await sent(client, message, { ...terms, webhook });
            return outcome.kind === 'task' ? { ...outcome, push: true } : outcome;
          } catch (error) {
            // Nothing has begun: the agent refuses this webhook, whatever its card says.
            if (!REFUSES_WEBHOOKS.has(remoteError(error).protocolFault)) throw error;
            return sent(client, message, terms);
          }
        }),
      );
    } catch (error) {
      return this.failedSend(remoteError(error));
    }
  }

  /** The card now differs from the pinned definition: nothing is sent. */
  private otherThanPinned({ remoteId }: ExposedSkill): Sent {
    const { name } = this.agent;
    return {
      kind: 'failed',
      text: `The skill ${remoteId} of ${name} is off: its card differs from AGENTS_FILE`,
      why: 'remote',
    };
  }

  /** The outcome of a message that was not sent. */
  private misfit(faults: readonly FieldViolation[]): Sent {
    const wrong = faults.map(({ field, description }) => `${field}: ${description}`).join('; ');
    const text = `The agent ${this.agent.name} takes no such input: ${wrong}`.slice(0, MAX_TEXT);
    return { kind: 'failed', text, why: 'schema' };
  }

  private isPushed({ capabilities }: AgentCard): boolean {
    const { mode } = this.agent;
    return mode === 'push' || (mode === 'auto' && capabilities.pushNotifications === true);
  }

  /** Finds the task begun by a message among those of its context; undefined when that is impossible. */
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

  /** @param noted gets the end of an ended task: it may be too large for the journal, and saves a second request */
  async poll(taskId: string, noted: (end: RemoteEnd) => void = () => undefined): Promise<Poll> {
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

  /** Returns whether nothing is left to do: the task is canceled, has ended, or cannot be canceled. */
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
    return `The agent ${this.agent.name}: ${error.message}`.slice(0, MAX_TEXT);
  }
}

/** The span of an agent of another service, by the conventions of generative AI. */
function invokingRemote<T>(agent: string, send: () => Promise<T>): Promise<T> {
  if (!recordsGenAi()) return send();
  const attributes = genAiAttributes('invoke_agent', {
    ...{ 'gen_ai.provider.name': 'a2a', 'gen_ai.agent.name': agent },
  });
  return traced(`invoke_agent ${agent}`, () => ({ kind: SpanKind.CLIENT, attributes }), send);
}

/** Terms sent together with the message. */
export interface SendTerms {
  readonly acceptedOutputModes: readonly string[];
  readonly trace: Trace;
  /** The endpoint to which the agent reports changes of the task; absent: the task is polled. */
  readonly webhook?: TaskPushNotificationConfig | undefined;
}

/** Faults by which agents refuse a webhook; an ambiguous one recurs without it. */
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

/** Newest messages of a history that may contain the result. */
const LAST_MESSAGES = 20;

/** Whether a task ended without a result in it: some agents have it in the history (Microsoft Agent Framework). */
function isSilent({ status, artifacts = [] }: RemoteTask): boolean {
  return (status.message?.parts ?? []).length === 0 && artifacts.length === 0;
}

/** The result of an ended task: with neither artifacts nor last words, the last message of the agent. */
export function endOf(task: RemoteTask): RemoteEnd {
  const { status, artifacts = [], history = [] } = task;
  const last = isSilent(task) ? history.findLast(({ role }) => role === 'ROLE_AGENT') : undefined;
  return { state: status.state, parts: last?.parts ?? status.message?.parts ?? [], artifacts };
}

/** The text parts of an agent's message, truncated. */
export function textOf(parts: readonly Part[]): string {
  return parts
    .flatMap((part) => ('text' in part ? [part.text] : []))
    .join('\n')
    .slice(0, MAX_TEXT);
}

/** The reason for which the call of a flow has no result. */
function whyOf({ kind }: RemoteError): CallFault {
  if (kind === 'auth') return 'auth';
  return kind === 'left-alone' ? 'breaker' : 'remote';
}

/** Any other error is a fault of this service, and rethrown. */
function remoteError(error: unknown): RemoteError {
  if (error instanceof RemoteError) return error;
  throw error;
}
