import type { Message, Part } from '../../protocol/message.js';
import type { Artifact } from '../../protocol/task.js';
import { hasEnded, isAtRest, type RemoteState, type RemoteTask } from '../../wire/remote-model.js';
import type { AgentDirectory } from '../directory/agent-directory.js';
import type { RemoteAgent } from '../directory/agent-file.js';
import { RemoteError } from '../client/remote-errors.js';

/** What came of sending a message: JSON, for the journal. */
export type Sent =
  | { readonly kind: 'task'; readonly taskId: string; readonly contextId: string; readonly state: RemoteState }
  /** A direct answer. */
  | { readonly kind: 'message'; readonly contextId: string | null; readonly parts: readonly Part[] }
  | { readonly kind: 'again'; readonly afterMs: number; readonly text: string }
  | { readonly kind: 'failed'; readonly text: string }
  /** Nobody knows whether the agent has begun. */
  | { readonly kind: 'unknown'; readonly text: string };

/** How a task of another agent is: JSON, for the journal. */
export type Look =
  | { readonly kind: 'open'; readonly text: string }
  | { readonly kind: 'asks'; readonly state: RemoteState; readonly parts: readonly Part[] }
  | { readonly kind: 'ended' }
  /** No answer now. */
  | { readonly kind: 'down'; readonly afterMs: number }
  | { readonly kind: 'failed'; readonly text: string };

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
  ) {}

  async send(message: Message, acceptedOutputModes: readonly string[], trace: Trace): Promise<Sent> {
    try {
      const { client } = await this.agents.reach(this.agent);
      const configuration = {
        returnImmediately: true,
        ...(acceptedOutputModes.length === 0 ? {} : { acceptedOutputModes }),
      };
      const reply = await client.sendMessage({ message, configuration }, { headers: trace });
      if ('task' in reply) {
        const { id: taskId, contextId, status } = reply.task;
        return { kind: 'task', taskId, contextId, state: status.state };
      }
      return { kind: 'message', contextId: reply.message.contextId ?? null, parts: reply.message.parts };
    } catch (error) {
      return this.failedSend(remoteError(error));
    }
  }

  /** The task that a message has begun, among those of its context; undefined when it cannot be found out. */
  async findSent(messageId: string, contextId: string): Promise<Sent | undefined> {
    try {
      const { client } = await this.agents.reach(this.agent);
      const { tasks } = await client.listTasks({ contextId, historyLength: 100, pageSize: 50 });
      const found = tasks.find(({ history = [] }) => history.some((one) => one.messageId === messageId));
      if (found === undefined) return undefined;
      return { kind: 'task', taskId: found.id, contextId: found.contextId, state: found.status.state };
    } catch (error) {
      remoteError(error);
      return undefined;
    }
  }

  async look(taskId: string): Promise<Look> {
    try {
      const { status } = await this.get(taskId, 0);
      if (hasEnded(status.state)) return { kind: 'ended' };
      const parts = status.message?.parts ?? [];
      if (isAtRest(status.state)) return { kind: 'asks', state: status.state, parts };
      return { kind: 'open', text: textOf(parts) };
    } catch (error) {
      const failed = remoteError(error);
      if (failed.isRetryable) return { kind: 'down', afterMs: failed.retryAfterMs ?? 0 };
      return { kind: 'failed', text: this.words(failed) };
    }
  }

  /** @throws RemoteError */
  async end(taskId: string): Promise<RemoteEnd> {
    const { status, artifacts = [] } = await this.get(taskId, 0);
    return { state: status.state, parts: status.message?.parts ?? [], artifacts };
  }

  /** Returns whether nothing is left to be done: the task is canceled, has ended, or cannot be canceled. */
  async cancel(taskId: string): Promise<boolean> {
    try {
      const { client } = await this.agents.reach(this.agent);
      await client.cancelTask({ id: taskId });
      return true;
    } catch (error) {
      return !remoteError(error).isRetryable;
    }
  }

  private async get(id: string, historyLength: number): Promise<RemoteTask> {
    const { client } = await this.agents.reach(this.agent);
    return client.getTask({ id, historyLength });
  }

  private failedSend(error: RemoteError): Sent {
    const text = this.words(error);
    if (error.isDoubtful && this.agent.resend === 'never') return { kind: 'unknown', text };
    if (error.isRetryable) return { kind: 'again', afterMs: error.retryAfterMs ?? 0, text };
    return error.isDoubtful ? { kind: 'unknown', text } : { kind: 'failed', text };
  }

  private words(error: RemoteError): string {
    return `The agent ${this.agent.name}: ${error.message}`.slice(0, MOST_TEXT);
  }
}

/** Headers of a trace (W3C Trace Context). */
export type Trace = Readonly<Record<string, string>>;

/** The text parts of something that an agent has said, cut. */
export function textOf(parts: readonly Part[]): string {
  return parts
    .flatMap((part) => ('text' in part ? [part.text] : []))
    .join('\n')
    .slice(0, MOST_TEXT);
}

/** Anything but a fault of the call is a fault of this service, and thrown on. */
function remoteError(error: unknown): RemoteError {
  if (error instanceof RemoteError) return error;
  throw error;
}
