import type { Message } from '../protocol/message.js';
import type { TaskState } from '../protocol/task-state.js';
import { statusEventHead, statusEventTail, statusText } from './task-json.js';
import { listsOf } from './task-lists.js';
import { leadingTo } from './task-rules.js';
import { shardName, shardOf, type TaskKeys } from './task.keys.js';
import { type TaskOptions, ttlOf } from './task.options.js';

/** The end of a task that does not come from its run. */
export interface TaskEnding {
  readonly id: string;
  readonly owner: string;
  readonly tenant: string;
  readonly contextId: string;
  /** A terminal one. */
  readonly state: TaskState;
}

/** The KEYS of lua/lib/end.lua. */
export function endingKeys(keys: TaskKeys, { id, owner, tenant, contextId, state }: TaskEnding): readonly string[] {
  const shard = shardOf(id);
  const lists = listsOf(keys, id, owner, contextId);
  const { open, ended, openOfContext, endedOfContext } = lists;
  return [
    ...[keys.task(id), keys.due(shard), ...keys.queuesOf(id), keys.counts(shard), keys.history(id), keys.states(id)],
    ...[keys.outbox(shard), keys.over(shard), open, ended, openOfContext, endedOfContext, lists.ofState(state)],
    ...[keys.parked(shard), lists.ofStateInContext(state), ...lists.openByState, keys.ofTenant(shard, tenant)],
  ];
}

/** The ARGV of lua/lib/end.lua. */
export function endingArguments(
  keys: TaskKeys,
  options: TaskOptions,
  ending: TaskEnding & { readonly ms: number; readonly nonce: string; readonly message?: Message | undefined },
): readonly (string | number)[] {
  const { id, contextId, state, ms, nonce, message } = ending;
  const status = statusText(state, ms, message);
  return [
    ...[id, nonce, leadingTo(state), state, statusEventHead(id, contextId) + statusEventTail(status)],
    ...[status.ms, status.message, options.terminalTtlMs, ttlOf(options), keys.hints, shardName(shardOf(id))],
  ];
}
