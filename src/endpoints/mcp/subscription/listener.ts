import { Injectable } from '@nestjs/common';
import type { Call } from '../../../operations/call.js';
import { ConnectionSlots } from '../../../limits/quotas/connection-slots.js';
import { readArtifactUri } from '@parley/protocol/mcp/resource-uri.js';
import type { StreamOutcome } from '../../../http/sse/open-stream.js';
import { mcpResult } from '../call/mcp-reply.js';
import type { McpRequest } from '../call/mcp-request.js';
import { type Filter, readFilter, tasksIn } from './filter.js';
import { FollowedTask } from './followed-task.js';
import { notify, ofSubscription, type Subscriber, TaskNews } from './task-news.js';

/** Answers `subscriptions/listen`: changes of tasks and of their artifacts, from the feeds of A2A streams. */
@Injectable()
export class Listener {
  constructor(
    private readonly news: TaskNews,
    private readonly slots: ConnectionSlots,
  ) {}

  /**
   * Opens a subscription. Resolves with the promise of its end: when all its tasks have ended, or with its client.
   * @throws McpFault for params without a valid subject
   */
  async listen(request: McpRequest): Promise<{ readonly ended: Promise<StreamOutcome> }> {
    const { id, call, reply } = request;
    const { tasks: takesTasks, form, url } = request.capabilities;
    const subscriber = { id, call: begunCall(call), capabilities: { tasks: takesTasks, form, url }, reply };
    const tasks = await this.begun(readFilter(request), call, subscriber);
    // No frame waits for the end: it would keep the request's data in memory.
    return { ended: followed(tasks, subscriber).then(() => ended(subscriber)) };
  }

  /** Opens the feeds and acknowledges them. Each is one of the caller's streams; an empty subscription is one too. */
  private async begun(filter: Filter, call: Call, subscriber: Subscriber): Promise<readonly FollowedTask[]> {
    const tasks = await this.followed(filter, call, subscriber);
    if (tasks.length === 0) call.presence.whenGone(this.slots.take('stream', call.principal));
    await acknowledge(
      filter,
      tasks.map(({ id }) => id),
      subscriber,
    );
    return tasks;
  }

  /** The existing tasks; foreign ids are ignored like unknown ones. */
  private async followed(filter: Filter, call: Call, subscriber: Subscriber): Promise<readonly FollowedTask[]> {
    const found: FollowedTask[] = [];
    try {
      for (const id of tasksIn(filter)) {
        const events = await this.news.feedOf(id, call);
        if (events === undefined) continue;
        const uris = filter.uris.filter((uri) => readArtifactUri(uri)?.taskId === id);
        const isTaskWanted = filter.taskIds.includes(id);
        const followed = { id, isTaskWanted, uris: uris.length === 0 ? NO_URIS : uris };
        found.push(new FollowedTask(followed, events, subscriber, this.news));
      }
    } catch (error) {
      for (const task of found) await task.close();
      throw error;
    }
    return found;
  }
}

const NO_URIS: readonly string[] = [];

/** A call whose answer has begun: it can set no headers, and holds no input. */
function begunCall({ stored: _stored, ...call }: Call): Call {
  return { ...call, setHeaders: NO_HEADERS };
}

const NO_HEADERS = (): void => undefined;

/** Resolves when all tasks have ended, or the client has gone. */
function followed(tasks: readonly FollowedTask[], subscriber: Subscriber): Promise<unknown> {
  const [only] = tasks;
  if (only === undefined) return gone(subscriber);
  return tasks.length === 1 ? only.follow() : Promise.all(tasks.map((task) => task.follow()));
}

/** A subscription without changes lasts until its client disconnects, or its credential expires. */
function gone({ call }: Subscriber): Promise<void> {
  return new Promise((resolve) => {
    call.presence.whenGone(resolve);
  });
}

async function acknowledge(
  { taskIds, uris }: Filter,
  followed: readonly string[],
  subscriber: Subscriber,
): Promise<void> {
  const isFollowed = (id: string | undefined): boolean => id !== undefined && followed.includes(id);
  const agreed = {
    ...(taskIds.length === 0 ? {} : { taskIds: taskIds.filter(isFollowed) }),
    ...(uris.length === 0
      ? {}
      : { resourceSubscriptions: uris.filter((uri) => isFollowed(readArtifactUri(uri)?.taskId)) }),
  };
  await notify(subscriber, 'subscriptions/acknowledged', { notifications: agreed });
}

/** Ends the stream with the result. */
async function ended(subscriber: Subscriber): Promise<StreamOutcome> {
  const { id, reply } = subscriber;
  if (reply.isGone) reply.leave();
  else await reply.end(mcpResult(id, ofSubscription({ resultType: 'complete' }, subscriber)));
  return reply.outcome;
}
