import { Injectable } from '@nestjs/common';
import { A2AError, taskNotFound } from '@parley/protocol/model/errors.js';
import type { SubscribeToTaskRequest } from '@parley/protocol/model/operations.js';
import { isTerminal } from '@parley/protocol/model/task-state.js';
import { TaskFeeds } from '../tasks/feed/task-feeds.js';
import { snapshotBeginning, type StreamBeginning } from '../tasks/feed/stream-beginning.js';
import { StreamResume } from '../tasks/feed/stream-resume.js';
import { TaskStreams } from '../tasks/feed/task-streams.js';
import { isTaskId } from '../tasks/task.keys.js';
import type { Snapshot } from '../tasks/record/snapshot.js';
import { WATCH_MS } from '../tasks/commit/event-log.js';
import { TaskStore } from '../tasks/store/task.store.js';
import type { Call } from './call.js';
import type { AnswerOf, Operation } from './operation.js';

/** SubscribeToTask (A2A 1.0 §3.1.6): the current task, then its events. */
@Injectable()
export class SubscribeToTaskOperation implements Operation<'SubscribeToTask'> {
  constructor(
    private readonly store: TaskStore,
    private readonly feeds: TaskFeeds,
    private readonly streams: TaskStreams,
    private readonly resume: StreamResume,
  ) {}

  async execute({ id }: SubscribeToTaskRequest, call: Call): Promise<AnswerOf<'SubscribeToTask'>> {
    if (!isTaskId(id)) throw taskNotFound();
    // Joins the feed before reading the snapshot, so that no event is lost in between (A2A-STRM-08).
    const following = await this.feeds.follow(id);
    try {
      const snapshot = await this.store.read(call.owner, id, { watchMs: WATCH_MS, room: call.room, isPart: true });
      if (snapshot === undefined) throw taskNotFound();
      const beginning = await this.beginning(id, snapshot, call.lastEventId);
      return this.streams.read(following, { ...beginning, owner: call.owner, taskId: id }, call.presence.signal);
    } catch (error) {
      following.close();
      throw error;
    }
  }

  /** An ended task has no stream, unless its caller missed the end (A2A-STRM-09). */
  private async beginning(id: string, snapshot: Snapshot, lastEventId: string | undefined): Promise<StreamBeginning> {
    const missed = lastEventId === undefined ? undefined : await this.resume.beginning(id, snapshot, lastEventId);
    if (isTerminal(snapshot.state)) {
      if (missed === undefined || missed.after.seq === snapshot.seq) throw finished(id, snapshot.state);
      return missed;
    }
    // A task that waits for its caller stays open to readers until its next turn has ended (A2A-STRM-10).
    return { ...(missed ?? snapshotBeginning(snapshot)), over: false };
  }
}

function finished(taskId: string, state: string): A2AError {
  return new A2AError('UnsupportedOperation', 'The task is finished: there is nothing to subscribe to', {
    metadata: { taskId, state },
  });
}
