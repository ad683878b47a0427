import type { Message } from '../protocol/message.js';
import type { TaskState } from '../protocol/task-state.js';
import { statusNote } from './child-note.js';
import { statusEventHead, statusEventTail, statusText, type StatusText } from './task-json.js';
import { indexOf, listedUnder, listsOf } from './task-lists.js';
import type { TaskRest, TaskTraits } from './task-record.js';
import { leadingTo, WAITING_STATES } from './task-rules.js';
import { shardName, shardOf, type TaskKeys } from './task.keys.js';
import { keptMs, type TaskOptions, ttlOf } from './task.options.js';

/** The end of a task that does not come from its run. */
export interface TaskEnding {
  readonly id: string;
  readonly owner: string;
  readonly traits: TaskTraits;
  readonly contextId: string;
  /** A terminal one. */
  readonly state: TaskState;
  /** Of a child: the skills and calls from the root to it. */
  readonly path?: string | undefined;
}

/** The KEYS of lua/lib/end.lua. */
export function endingKeys(keys: TaskKeys, { id, owner, traits, contextId, state }: TaskEnding): readonly string[] {
  const shard = shardOf(id);
  const lists = listsOf(keys, id, listedUnder(owner, traits), contextId);
  const { open, ended, openOfContext, endedOfContext } = lists;
  return [
    ...[keys.task(id), keys.due(shard), ...keys.queuesOf(id), keys.counts(shard), keys.history(id), keys.states(id)],
    ...[keys.outbox(shard), keys.over(shard), open, ended, openOfContext, endedOfContext, lists.ofState(state)],
    ...[keys.parked(shard), keys.cascade(shard), ...parentKeys(keys, traits)],
    ...[lists.ofStateInContext(state), ...lists.openByState, indexOf(keys, id, traits)],
  ];
}

/** Of a child: its parent, and the parent's children, held children and waiting notes; none for other tasks. */
export function parentKeys(keys: TaskKeys, { tree }: Pick<TaskTraits, 'tree'>): readonly string[] {
  if (tree === undefined) return [];
  const { parent } = tree;
  return [keys.task(parent), keys.children(parent), keys.held(parent), keys.notes(parent)];
}

/** The ARGV of lua/lib/end.lua. */
export function endingArguments(
  keys: TaskKeys,
  options: TaskOptions,
  ending: TaskEnding & {
    readonly ms: number;
    readonly nonce: string;
    readonly served: number;
    readonly message?: Message | undefined;
  },
): readonly (string | number)[] {
  const { id, contextId, state, traits, ms, nonce, message, served } = ending;
  const status = statusText(state, ms, message);
  return [
    ...[id, nonce, leadingTo(state), state, statusEventHead(id, contextId) + statusEventTail(status)],
    ...[status.ms, status.message, keptMs(options, traits), ttlOf(options), keys.hints, shardName(shardOf(id))],
    ...[options.stuckTtlMs, served, noteOf(ending, status), WAITING_STATES],
  ];
}

/** What the log of its parent says of the end; '' where it says nothing. */
function noteOf({ id: taskId, contextId, traits, path }: TaskEnding, status: StatusText): string {
  const { tree, skillId } = traits;
  if (tree === undefined || tree.progress === 'none') return '';
  return statusNote({ taskId, contextId, skillId, path: path ?? tree.key, tree }, status);
}

/** The path of a child in its record, field `j`. */
export function pathIn(rest: string | null): string | undefined {
  return rest === null ? undefined : (JSON.parse(rest) as TaskRest).path;
}
