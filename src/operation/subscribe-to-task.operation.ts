import { Injectable } from '@nestjs/common';
import { A2AError, taskNotFound } from '../protocol/errors.js';
import type { SubscribeToTaskRequest } from '../protocol/operations.js';
import { isTerminal } from '../protocol/task-state.js';
import { TaskFeeds } from '../sse/task-feeds.js';
import { startOf, TaskStreams } from '../sse/task-streams.js';
import { isTaskId } from '../task/task.keys.js';
import { TaskStore } from '../task/task.store.js';
import type { Call } from './call.js';
import type { AnswerOf, Operation } from './operation.js';

/** SubscribeToTask (A2A 1.0 §3.1.6): the task as it stands, then all that happens to it. */
@Injectable()
export class SubscribeToTaskOperation implements Operation<'SubscribeToTask'> {
  constructor(
    private readonly store: TaskStore,
    private readonly feeds: TaskFeeds,
    private readonly streams: TaskStreams,
  ) {}

  async execute({ id }: SubscribeToTaskRequest, call: Call): Promise<AnswerOf<'SubscribeToTask'>> {
    if (!isTaskId(id)) throw taskNotFound();
    // The feed is joined before the snapshot is read, so that no event falls between the two (A2A-STRM-08).
    const following = await this.feeds.follow(id);
    try {
      const snapshot = await this.store.read(call.owner, id);
      if (snapshot === undefined) throw taskNotFound();
      if (isTerminal(snapshot.state)) throw finished(id, snapshot.state);
      // A task that waits for its caller stays open to readers until its next turn has ended (A2A-STRM-10).
      const start = { ...startOf(snapshot), over: false, owner: call.owner, taskId: id };
      return this.streams.read(following, start);
    } catch (error) {
      following.close();
      throw error;
    }
  }
}

function finished(taskId: string, state: string): A2AError {
  return new A2AError('UnsupportedOperation', 'The task is finished: there is nothing to subscribe to', {
    metadata: { taskId, state },
  });
}
