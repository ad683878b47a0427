import { Injectable } from '@nestjs/common';
import { OperationExecutor } from '../../../operation/operation-executor.js';
import type { StreamedEvent } from '../../../operation/operation.js';
import { A2AError } from '../../../protocol/errors.js';
import type { JsonObject } from '../../../protocol/json.js';
import type { StreamResponse } from '../../../protocol/event.js';
import { isInterrupted, isSettled } from '../../../protocol/task-state.js';
import { ConnectionSlots } from '../../../security/limit/connection-slots.js';
import { isJsonObject } from '../../../wire/json-value.js';
import { badParams } from '../../../wire/mcp/mcp-fault.js';
import { readArtifactUri } from '../../../wire/mcp/resource-uri.js';
import { META } from '../../../wire/mcp/revision.js';
import type { McpRequest } from '../call/mcp-request.js';
import { TaskCalls } from '../call/task-calls.js';
import { requireTasks, TaskMethods } from '../tool/task-methods.js';

/** Tasks that one subscription follows; each is an open stream of the caller's. */
const MOST_TASKS = 16;
const MOST_URIS = 64;
/** Milliseconds between two notifications of the same task or resource, unless the state has changed. */
const APART_MS = 1_000;

type Events = AsyncIterator<StreamedEvent<'SubscribeToTask'>, void, void>;

/** What a subscription asks for. */
interface Filter {
  readonly taskIds: readonly string[];
  readonly uris: readonly string[];
}

/** Answers `subscriptions/listen`: changes of tasks and of their artifacts, from the feeds that A2A streams read. */
@Injectable()
export class Listener {
  constructor(
    private readonly operations: OperationExecutor,
    private readonly tasks: TaskCalls,
    private readonly methods: TaskMethods,
    private readonly slots: ConnectionSlots,
  ) {}

  /** Resolves with the members of the result when the subscription ends by itself: all its tasks have ended. */
  async listen(request: McpRequest): Promise<object> {
    const filter = readFilter(request);
    const free = this.slots.take('stream', request.call.principal);
    try {
      const followed = await this.followed(filter, request);
      await this.acknowledge(filter, [...followed.keys()], request);
      if (followed.size === 0) await gone(request);
      await Promise.all([...followed].map(([id, events]) => this.follow(id, events, filter, request)));
    } finally {
      free();
    }
    return { _meta: subscription(request) };
  }

  /** The feeds of the tasks that are there; ids of others are left out, as unknown ones are. */
  private async followed({ taskIds, uris }: Filter, request: McpRequest): Promise<ReadonlyMap<string, Events>> {
    const named = [...taskIds, ...uris.flatMap((uri) => readArtifactUri(uri)?.taskId ?? [])];
    const feeds = new Map<string, Events>();
    try {
      for (const id of new Set(named)) {
        const events = await this.feedOf(id, request);
        if (events !== undefined) feeds.set(id, events);
      }
    } catch (error) {
      for (const events of feeds.values()) await events.return?.();
      throw error;
    }
    return feeds;
  }

  private async feedOf(id: string, request: McpRequest): Promise<Events | undefined> {
    try {
      return await this.operations.run(await this.operations.permit('SubscribeToTask', { id }, request.call));
    } catch (error) {
      if (!(error instanceof A2AError)) throw error;
      if (error.kind === 'TaskNotFound') return undefined;
      // It has ended: its state is told once.
      if (error.kind === 'UnsupportedOperation') return endedFeed();
      throw error;
    }
  }

  private async acknowledge(
    { taskIds, uris }: Filter,
    followed: readonly string[],
    request: McpRequest,
  ): Promise<void> {
    const isFollowed = (id: string | undefined): boolean => id !== undefined && followed.includes(id);
    const agreed = {
      ...(taskIds.length === 0 ? {} : { taskIds: taskIds.filter(isFollowed) }),
      ...(uris.length === 0
        ? {}
        : { resourceSubscriptions: uris.filter((uri) => isFollowed(readArtifactUri(uri)?.taskId)) }),
    };
    await notify(request, 'subscriptions/acknowledged', { notifications: agreed });
  }

  /** Tells of one task until it has ended or the client has gone. A feed ends at a question; the next one goes on behind it. */
  private async follow(id: string, first: Events, filter: Filter, request: McpRequest): Promise<void> {
    let asked: string | undefined;
    for (let events: Events | undefined = first; events !== undefined; events = await this.feedOf(id, request)) {
      await this.followFeed(id, events, filter, request);
      if (request.reply.isGone) return;
      const { status } = await this.tasks.read(id, request);
      const question = isInterrupted(status.state) ? status.message?.messageId : undefined;
      // The same question again: the feed has ended since this process is leaving.
      if (question === undefined || question === asked) return;
      asked = question;
    }
  }

  private async followFeed(id: string, events: Events, filter: Filter, request: McpRequest): Promise<void> {
    const isTaskWanted = filter.taskIds.includes(id);
    const uris = filter.uris.filter((uri) => readArtifactUri(uri)?.taskId === id);
    const told = new Map<string, number>();
    try {
      for (let next = await events.next(); next.done !== true; next = await events.next()) {
        const { value } = next.value.event;
        for (const uri of uris.filter((one) => isUpdateOf(one, value) && isDue(told, one))) {
          await notify(request, 'resources/updated', { uri });
        }
        if (isTaskWanted && isNews(value, told)) await this.tell(id, request);
      }
      // The end of a feed is a change too.
      if (isTaskWanted && !request.reply.isGone) await this.tell(id, request);
    } finally {
      await events.return?.();
    }
  }

  private async tell(id: string, request: McpRequest): Promise<void> {
    await notify(request, 'tasks', this.methods.view(await this.tasks.read(id, request), request));
  }
}

function readFilter(request: McpRequest): Filter {
  const { notifications } = request.params;
  if (!isJsonObject(notifications)) throw badParams('"notifications" must be an object');
  const taskIds = textsOf(notifications.taskIds, 'taskIds', MOST_TASKS);
  const uris = textsOf(notifications.resourceSubscriptions, 'resourceSubscriptions', MOST_URIS);
  if (taskIds.length > 0) requireTasks(request);
  const tasks = new Set([...taskIds, ...uris.flatMap((uri) => readArtifactUri(uri)?.taskId ?? [])]);
  if (tasks.size > MOST_TASKS) throw badParams(`A subscription may follow ${String(MOST_TASKS)} tasks`);
  return { taskIds, uris };
}

function textsOf(value: unknown, name: string, most: number): readonly string[] {
  if (value === undefined) return [];
  const texts = Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
  if (!Array.isArray(value) || texts.length < value.length || texts.length > most) {
    throw badParams(`"${name}" must be a list of at most ${String(most)} texts`);
  }
  return [...new Set(texts)];
}

/** Whether an event is worth a notification of the task: progress is, once a second. */
function isNews(event: StreamResponse, told: Map<string, number>): boolean {
  if (!('statusUpdate' in event)) return false;
  const { state } = event.statusUpdate.status;
  // The end of a turn is told with the end of the feed.
  if (isSettled(state)) return false;
  return isDue(told, 'task');
}

function isUpdateOf(uri: string, event: StreamResponse): boolean {
  return 'artifactUpdate' in event && readArtifactUri(uri)?.artifactId === event.artifactUpdate.artifact.artifactId;
}

function isDue(told: Map<string, number>, name: string): boolean {
  const now = Date.now();
  if (now - (told.get(name) ?? 0) < APART_MS) return false;
  told.set(name, now);
  return true;
}

async function notify(request: McpRequest, name: string, params: JsonObject): Promise<void> {
  await request.reply.send({ method: `notifications/${name}`, params: { ...params, _meta: subscription(request) } });
}

function subscription({ id }: McpRequest): JsonObject {
  return { [META.subscription]: id };
}

/** A subscription to nothing that changes: it is there until its client goes, or its credential ends. */
function gone({ call }: McpRequest): Promise<void> {
  return new Promise((resolve) => {
    call.presence.whenGone(resolve);
  });
}

/** Nothing to tell but the end. */
function endedFeed(): Events {
  return { next: () => Promise.resolve({ done: true, value: undefined }) };
}
