import { Json } from '@parley/protocol/model/json.js';
import type { Task } from '@parley/protocol/model/task.js';
import type { ClaimedRun } from './claimed-run.js';
import type { CommitPlan } from './commit-plan.js';
import type { LoggedEvent } from './event-log.js';
import { taskJson } from './task-json.js';

/** The task of a run that began and ended it; undefined where the texts that it began with are not here. */
export function endedTask({ taskId: id, contextId, beginning }: ClaimedRun, plan: CommitPlan): Json<Task> | undefined {
  const { status, artifacts } = plan;
  if (beginning === undefined || status === undefined || artifacts === undefined) return undefined;
  const { message, metadata } = beginning;
  return Json.ofText(taskJson({ id, contextId, status, metadata, artifacts, history: [message] }));
}

/** The events of a commit, as readers get them. */
export function eventsOf({ nonce }: ClaimedRun, { next, events }: CommitPlan): readonly LoggedEvent[] {
  const first = next.seq - events.length + 1;
  return events.map((text, at) => ({ seq: first + at, nonce, event: Json.ofText(text) }));
}
