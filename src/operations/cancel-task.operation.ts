import { Injectable } from '@nestjs/common';
import { A2AError, taskNotFound } from '@parley/protocol/model/errors.js';
import type { Json } from '@parley/protocol/model/json.js';
import type { CancelTaskRequest } from '@parley/protocol/model/operations.js';
import type { Task } from '@parley/protocol/model/task.js';
import type { TaskState } from '@parley/protocol/model/task-state.js';
import { TaskFeeds } from '../tasks/feed/task-feeds.js';
import { TaskStreams } from '../tasks/feed/task-streams.js';
import { isTaskId } from '../tasks/task.keys.js';
import type { Snapshot } from '../tasks/record/snapshot.js';
import { TaskStore } from '../tasks/store/task.store.js';
import { CancelCascade } from '../tasks/tree/cancel-cascade.js';
import type { Call } from './call.js';
import type { Operation } from './operation.js';
import { SkillScopes } from './skill-scopes.js';

/** Longer than the grace period of the skill, so that the sweep can end the task first. */
const SWEEP_MS = 1_000;

/**
 * CancelTask (A2A 1.0 §3.1.5): answers once the task is canceled, or with its current state when the skill is slow to
 * stop.
 */
@Injectable()
export class CancelTaskOperation implements Operation<'CancelTask'> {
  constructor(
    private readonly store: TaskStore,
    private readonly feeds: TaskFeeds,
    private readonly streams: TaskStreams,
    private readonly scopes: SkillScopes,
    private readonly trees: CancelCascade,
  ) {}

  async execute({ id }: CancelTaskRequest, call: Call): Promise<Json<Task>> {
    if (!isTaskId(id)) throw taskNotFound();
    if (this.scopes.mayRefuse(call)) await this.requireScopes(id, call);
    const following = await this.feeds.follow(id);
    const end = (): void => {
      following.follower.end();
    };
    const cap = setTimeout(end, call.waitMs ?? this.trees.graceMs + SWEEP_MS);
    try {
      const outcome = await this.trees.cancelTree(call.owner, id);
      if (outcome.kind === 'not-found') throw taskNotFound();
      if (outcome.kind === 'terminal') throw notCancelable(id, outcome.state);
      if (outcome.kind === 'requested') {
        await this.streams.settled(following, {
          owner: call.owner,
          taskId: id,
          after: { seq: outcome.seq, nonce: '' },
        });
      }
      return (await this.read(id, call)).task;
    } finally {
      clearTimeout(cap);
      following.close();
    }
  }

  /** A caller without the right to begin a skill's tasks may not cancel them either. */
  private async requireScopes(id: string, call: Call): Promise<void> {
    const begun = await this.store.begun(call.owner, id);
    if (begun === undefined) throw taskNotFound();
    this.scopes.require(begun.skillId, call);
  }

  private async read(id: string, call: Call): Promise<Snapshot> {
    const snapshot = await this.store.read(call.owner, id, { room: call.room });
    if (snapshot === undefined) throw taskNotFound();
    return snapshot;
  }
}

function notCancelable(taskId: string, state: TaskState): A2AError {
  return new A2AError('TaskNotCancelable', 'The task is finished and cannot be canceled', {
    metadata: { taskId, state },
  });
}
