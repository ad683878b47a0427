import { Json } from '../protocol/json.js';
import type { Task } from '../protocol/task.js';
import type { ClaimedRun } from './claimed-run.js';
import type { CommitPlan } from './commit-plan.js';
import type { LoggedEvent } from './event-log.js';
import { isForEnds } from './task.keys.js';
import { madeHead, taskJson } from './task-json.js';

/** Characters of artifacts and status message beyond which a reader of the end gets the events: no copy is made of them. */
const MOST_IN_LINE = 16 * 1024;

/** The task of a run that began and ended it; undefined where the texts that it began with are not here. */
export function endedTask({ taskId: id, contextId, beginning }: ClaimedRun, plan: CommitPlan): Json<Task> | undefined {
  const { status, artifacts } = plan;
  if (beginning === undefined || status === undefined || artifacts === undefined) return undefined;
  const { message, metadata } = beginning;
  return Json.ofText(taskJson({ id, contextId, status, metadata, artifacts, history: [message] }));
}

/** The end of a task for a caller in another process that needs nothing else (lua/lib/publish.lua); '' where it gets the events. */
export function endLine(
  { taskId: id, contextId, nonce, reply }: ClaimedRun,
  { next, status, artifacts }: CommitPlan,
): string {
  if (!isForEnds(reply) || status === undefined || artifacts === undefined) return '';
  if (artifacts.length + status.message.length > MOST_IN_LINE) return '';
  return `${id} ${String(next.seq)} ${nonce} =${madeHead({ id, contextId, status, artifacts })}`;
}

/** The events of a commit, as readers get them. */
export function eventsOf({ nonce }: ClaimedRun, { next, events }: CommitPlan): readonly LoggedEvent[] {
  const first = next.seq - events.length + 1;
  return events.map((text, at) => ({ seq: first + at, nonce, event: Json.ofText(text) }));
}
