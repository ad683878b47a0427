import { Injectable } from '@nestjs/common';
import type { Call } from '../../../operation/call.js';
import { ConnectionSlots } from '../../../security/limit/connection-slots.js';
import { mcpResultText } from '../../../wire/mcp/mcp-message.js';
import { readArtifactUri } from '../../../wire/mcp/resource-uri.js';
import type { StreamOutcome } from '../../sse/stream-writer.js';
import type { McpRequest } from '../call/mcp-request.js';
import { type Filter, readFilter, tasksIn } from './filter.js';
import { FollowedTask } from './followed-task.js';
import { notify, type Subscriber, subscriptionMeta, TaskNews } from './task-news.js';

/** Answers `subscriptions/listen`: changes of tasks and of their artifacts, from the feeds that A2A streams read. */
@Injectable()
export class Listener {
  constructor(
    private readonly news: TaskNews,
    private readonly slots: ConnectionSlots,
  ) {}

  /**
   * Opens a subscription. Resolves when it has ended: by itself, since all its tasks have, or with its client.
   * @throws McpFault for params that ask for nothing that there is
   */
  listen(request: McpRequest): Promise<StreamOutcome> {
    const filter = readFilter(request);
    const { id, call, reply } = request;
    const { tasks, form, url } = request.capabilities;
    return this.opened(filter, { id, call, capabilities: { tasks, form, url }, reply });
  }

  private async opened(filter: Filter, subscriber: Subscriber): Promise<StreamOutcome> {
    const free = this.slots.take('stream', subscriber.call.principal);
    try {
      const [first, ...others] = await this.begun(filter, subscriber);
      if (first === undefined) await gone(subscriber);
      else if (others.length === 0) await first.follow();
      else await Promise.all([first, ...others].map((task) => task.follow()));
    } finally {
      free();
    }
    return ended(subscriber);
  }

  /** Opens the feeds and says which there are. */
  private async begun(filter: Filter, subscriber: Subscriber): Promise<readonly FollowedTask[]> {
    const tasks = await this.followed(filter, subscriber);
    await acknowledge(
      filter,
      tasks.map(({ id }) => id),
      subscriber,
    );
    return tasks;
  }

  /** The tasks that are there; ids of others are left out, as unknown ones are. */
  private async followed(filter: Filter, subscriber: Subscriber): Promise<readonly FollowedTask[]> {
    const found: FollowedTask[] = [];
    const later = { ...subscriber, call: begunCall(subscriber.call) };
    try {
      for (const id of tasksIn(filter)) {
        const events = await this.news.feedOf(id, subscriber);
        if (events === undefined) continue;
        const uris = filter.uris.filter((uri) => readArtifactUri(uri)?.taskId === id);
        const what = { id, isTaskWanted: filter.taskIds.includes(id), uris };
        found.push(new FollowedTask(what, events, later, this.news));
      }
    } catch (error) {
      for (const task of found) await task.close();
      throw error;
    }
    return found;
  }
}

/** A call whose answer has begun: it sets no headers any more, and brings nothing. */
function begunCall({ stored: _stored, ...call }: Call): Call {
  return { ...call, setHeaders: NO_HEADERS };
}

const NO_HEADERS = (): void => undefined;

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

/** A subscription to nothing that changes: it is there until its client goes, or its credential ends. */
function gone({ call }: Subscriber): Promise<void> {
  return new Promise((resolve) => {
    call.presence.whenGone(resolve);
  });
}

/** Ends the stream with the result. */
async function ended(subscriber: Subscriber): Promise<StreamOutcome> {
  const { id, reply } = subscriber;
  const result = { resultType: 'complete', _meta: subscriptionMeta(subscriber) };
  if (reply.isGone) reply.leave();
  else await reply.end(mcpResultText(id, JSON.stringify(result)));
  return reply.outcome;
}
