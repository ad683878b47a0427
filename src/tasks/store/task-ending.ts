import type { Message } from '@parley/protocol/model/message.js';
import type { TaskState } from '@parley/protocol/model/task-state.js';
import { statusNote } from '../commit/child-note.js';
import { statusEventHead, statusEventTail, statusText, type StatusText } from '../record/task-json.js';
import { indexOf, listedUnder, listsOf } from '../record/task-lists.js';
import type { TaskRest, TaskTraits } from '../record/task-record.js';
import type { ScriptKeys } from '../../platform/redis/script/redis-script.js';
import type { TASK_SCRIPTS } from '../task.scripts.js';
import { leadingTo, WAITING_STATES } from '../record/task-rules.js';
import { shardName, shardOf, type TaskKeys } from '../task.keys.js';
import { keptMs, type TaskOptions, ttlOf } from '../task.options.js';

/** The end of a task that does not come from its run. */
export interface TaskEnding {
  readonly id: string;
  readonly owner: string;
  readonly traits: TaskTraits;
  readonly contextId: string;
  /** A terminal state. */
  readonly state: TaskState;
  /** For a child: the skills and calls from the root to it. */
  readonly path?: string | undefined;
}

/** The keys of the scripts with lua/lib/record/end.lua. */
export function endingKeys(
  keys: TaskKeys,
  { id, owner, traits, contextId, state }: TaskEnding,
): ScriptKeys<typeof TASK_SCRIPTS.settle> {
  const shard = shardOf(id);
  const lists = listsOf(keys, id, listedUnder(owner, traits), contextId);
  const { open, ended, openOfContext, endedOfContext } = lists;
  return {
    ...{ task: keys.task(id), due: keys.due(shard), ...keys.queuesOf(id), counts: keys.counts(shard) },
    ...{ history: keys.history(id), states: keys.states(id), outbox: keys.outbox(shard), over: keys.over(shard) },
    ...{ open, ended, openOfContext, endedOfContext, ofState: lists.ofState(state) },
    ...{ parked: keys.parked(shard), cascade: keys.cascade(shard), ofStateInContext: lists.ofStateInContext(state) },
    ...{ ...lists.openByState, tenantTasks: indexOf(keys, id, traits), child: childKeys(keys, traits) },
  };
}

/** For a child: its parent, and the parent's waiting notes, children and held children; undefined for other tasks. */
function childKeys(keys: TaskKeys, { tree }: Pick<TaskTraits, 'tree'>) {
  if (tree === undefined) return undefined;
  const { parent } = tree;
  return {
    ...{ parent: keys.task(parent), parentNotes: keys.notes(parent) },
    ...{ children: keys.children(parent), held: keys.held(parent) },
  };
}

/** The common arguments of these scripts. */
export function endingArguments(
  keys: TaskKeys,
  options: TaskOptions,
  ending: TaskEnding & {
    readonly ms: number;
    readonly nonce: string;
    readonly served: number;
    readonly message?: Message | undefined;
  },
) {
  const { id, contextId, state, traits, ms, nonce, message, served } = ending;
  const status = statusText(state, ms, message);
  return {
    ...{ id, nonce, fromStates: leadingTo(state), state, waitingStates: WAITING_STATES },
    event: statusEventHead(id, contextId) + statusEventTail(status),
    ...{ ms: status.ms, message: status.message, keptMs: keptMs(options, traits), ttl: ttlOf(options) },
    ...{ hints: keys.hints, shard: shardName(shardOf(id)), stuckMs: options.stuckTtlMs, elsewhere: served },
    child: traits.tree === undefined ? undefined : { note: noteOf(ending, status) },
  };
}

/** The note of the end for the log of its parent; '' for none. */
function noteOf({ id: taskId, contextId, traits, path }: TaskEnding, status: StatusText): string {
  const { tree, skillId } = traits;
  if (tree === undefined || tree.progress === 'none') return '';
  return statusNote({ taskId, contextId, skillId, path: path ?? tree.key, tree }, status);
}

/** The path of a child in its record. */
export function pathIn(rest: string | null): string | undefined {
  return rest === null ? undefined : (JSON.parse(rest) as TaskRest).path;
}
