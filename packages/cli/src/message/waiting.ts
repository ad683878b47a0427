import { setTimeout as pause } from 'node:timers/promises';
import type { SendMessageRequest } from '@parley/protocol/model/operations.js';
import type { AgentClient, StreamedEvent } from '@parley/client/call/agent-client.js';
import { RemoteError } from '@parley/client/http/remote-errors.js';
import { isAtRest, type RemoteEvent, type RemoteReply, type RemoteTask } from '@parley/protocol/remote/remote-model.js';
import { localError } from '../context/cli-error.js';
import { statusOf } from '../context/output.js';
import { shellArgument } from '../context/shell-word.js';

export interface WaitOptions {
  readonly pollMs: number;
  /** For all of the wait. */
  readonly timeoutMs: number;
  /** Called with the task as soon as its id is known, and again when its state changes. */
  readonly onTask: (task: Pick<RemoteTask, 'id' | 'contextId'>, state: string) => void;
  /** Called with each event of a stream. */
  readonly onEvent?: ((event: RemoteEvent) => void) | undefined;
  /** Whether the agent's stream is used; polling takes over where it breaks. */
  readonly canStream: boolean;
  /** Whether an event id can be sent back for the events behind it. */
  readonly canResume: boolean;
  /** How long the stream of a known task may be silent. Default 45 s. */
  readonly silentMs?: number;
}

/**
 * The silence after which a connection is taken for dead, and the task is subscribed to again. Servers of SDKs and of this project send
 * a comment every 15 s.
 */
const MAX_SILENT_MS = 45_000;
/** Pauses between two polls grow to this many times the first one. */
const MAX_BACKOFF = 8;
/** Streams that are opened again in a row without a new event before polling takes over. */
const MAX_RECONNECTS = 5;

/**
 * Follows a task to its end or to where its caller must act. Streams are preferred and may break: then the stream is
 * opened again, and at last the task is polled. @throws CliError A2ACLI_ERR_TIMEOUT, RemoteError
 */
export class Waiting {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private isLate = false;
  private lastId: string | undefined;
  private seen: Pick<RemoteTask, 'id' | 'contextId'> | undefined;
  private state = '';

  constructor(
    private readonly client: AgentClient,
    private readonly options: WaitOptions,
  ) {
    this.timer = setTimeout(() => {
      this.isLate = true;
      this.controller.abort();
    }, options.timeoutMs);
  }

  /** Sends a message and waits for its task; a direct answer is returned as it is. */
  async send(request: SendMessageRequest): Promise<RemoteReply> {
    return this.inTime(async () => {
      if (!this.options.canStream) return this.restOf(await this.client.sendMessage(request, this.call));
      return this.streamed(request);
    });
  }

  /** Waits for a task that is known. */
  async follow(id: string): Promise<RemoteTask> {
    return this.inTime(() => (this.options.canStream ? this.subscribed(id) : this.polled(id)));
  }

  private get call() {
    const { timeoutMs } = this.options;
    // A blocking agent may take its time with the headers: the wait's own deadline counts.
    return { signal: this.controller.signal, deadlines: { headers: timeoutMs, idle: timeoutMs, total: timeoutMs } };
  }

  private async streamed(request: SendMessageRequest): Promise<RemoteReply> {
    let message: RemoteReply | undefined;
    try {
      for await (const event of this.client.streamMessage(request, { signal: this.controller.signal })) {
        this.note(event);
        if ('message' in event.event) message = event.event;
      }
    } catch (error) {
      if (this.seen === undefined) return this.withoutStream(request, error);
      if (!isBroken(error)) throw error;
    }
    if (message !== undefined) return message;
    if (this.seen === undefined)
      throw new RemoteError('invalid-answer', 'The stream of the agent ended without a task');
    return { task: await this.subscribed(this.seen.id) };
  }

  /** An agent that says that it streams and does not is asked without a stream; nothing of the call has begun then. */
  private async withoutStream(request: SendMessageRequest, error: unknown): Promise<RemoteReply> {
    const isUnsupported = error instanceof RemoteError && error.protocolFault === 'UnsupportedOperation';
    if (!isUnsupported) throw error;
    return this.restOf(await this.client.sendMessage(request, this.call));
  }

  private async restOf(reply: RemoteReply): Promise<RemoteReply> {
    if ('message' in reply) return reply;
    this.note({ id: undefined, event: reply });
    return isAtRest(reply.task.status.state) ? reply : { task: await this.polled(reply.task.id) };
  }

  /** The task once it is at rest; events meanwhile are passed on, each once. */
  private async subscribed(id: string): Promise<RemoteTask> {
    for (let attempt = 0; attempt < MAX_RECONNECTS && !this.isAtRest; attempt += 1) {
      if (attempt > 0) await pause(Math.min(this.options.pollMs, 250 * 2 ** attempt), undefined, this.aborting);
      const known = this.lastId;
      const isOver = await this.listen(id);
      if (isOver === 'unsupported') break;
      // Only where events have ids: an agent that cannot resume begins each stream with something.
      if (this.options.canResume && this.lastId !== known) attempt = 0;
    }
    return this.polled(id);
  }

  private async listen(id: string): Promise<'ended' | 'broken' | 'unsupported'> {
    const { canResume, silentMs = MAX_SILENT_MS } = this.options;
    const after = canResume ? this.lastId : undefined;
    const call = { after, signal: this.controller.signal, deadlines: { idle: silentMs } };
    try {
      for await (const event of this.client.subscribe({ id }, call)) this.note(event);
      return 'ended';
    } catch (error) {
      // A task that has ended has no stream: polling shows it.
      if (error instanceof RemoteError && error.kind === 'refused') return 'unsupported';
      if (!isBroken(error)) throw error;
      return 'broken';
    }
  }

  private async polled(id: string): Promise<RemoteTask> {
    let waitMs = this.options.pollMs;
    for (;;) {
      const task = await this.get(id);
      if (task !== undefined) {
        this.note({ id: undefined, event: { task } }, true);
        if (isAtRest(task.status.state)) return task;
      }
      await pause(waitMs, undefined, this.aborting);
      waitMs = Math.min(waitMs * 1.25, this.options.pollMs * MAX_BACKOFF);
    }
  }

  /** Undefined while the agent has no capacity or cannot be reached: the wait continues. */
  private async get(id: string): Promise<RemoteTask | undefined> {
    try {
      return await this.client.getTask({ id }, { signal: this.controller.signal });
    } catch (error) {
      if (!isBroken(error)) throw error;
      return undefined;
    }
  }

  private note({ id, event }: StreamedEvent, isPolled = false): void {
    this.lastId = id ?? this.lastId;
    const ids = idsOf(event);
    if (ids !== undefined) this.seen = ids;
    const state = statusOf(event)?.state ?? this.state;
    if (this.seen !== undefined && state !== this.state) this.options.onTask(this.seen, state);
    const isNews = !isPolled || state !== this.state;
    this.state = state;
    if (isNews) this.options.onEvent?.(event);
  }

  private get isAtRest(): boolean {
    return isAtRest(this.state as Parameters<typeof isAtRest>[0]);
  }

  private get aborting() {
    return { signal: this.controller.signal };
  }

  private async inTime<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!this.isLate) throw error;
      const seconds = String(Math.round(this.options.timeoutMs / 1000));
      const next = this.seen === undefined ? undefined : `parley task get --wait ${shellArgument(this.seen.id)}`;
      throw localError('A2ACLI_ERR_TIMEOUT', `The task was not at rest after ${seconds} s`, next);
    } finally {
      clearTimeout(this.timer);
    }
  }
}

function idsOf(event: RemoteEvent): Pick<RemoteTask, 'id' | 'contextId'> | undefined {
  if ('task' in event) return { id: event.task.id, contextId: event.task.contextId };
  if ('statusUpdate' in event) return { id: event.statusUpdate.taskId, contextId: event.statusUpdate.contextId };
  if ('artifactUpdate' in event) return { id: event.artifactUpdate.taskId, contextId: event.artifactUpdate.contextId };
  return undefined;
}

/** Whether a connection broke, and not the call. */
function isBroken(error: unknown): boolean {
  return error instanceof RemoteError && error.isRetryable;
}
