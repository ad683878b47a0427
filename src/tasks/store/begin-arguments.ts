import { claimedFields, claimedWord, type NewRecord } from './new-record.js';
import type { NewTask } from '../record/new-task.js';
import type { InputOf, ScriptReply } from '../../platform/redis/script/redis-script.js';
import type { RedisClient } from '../../platform/redis/connection/redis-client.js';
import { TASK_SCRIPTS } from '../task.scripts.js';
import { wordText } from '../record/state-word.js';
import { listsOf } from '../record/task-lists.js';
import { type Accounts, accountsOf, memberOf, tenantName } from '../record/task-record.js';
import { shardName, shardOf, type TaskKeys } from '../task.keys.js';
import { type TaskOptions, ttlOf } from '../task.options.js';
import { tenantScore } from '../record/tenant-score.js';

/** The shard and position for a new task. */
interface Target {
  readonly keys: TaskKeys;
  readonly options: TaskOptions;
  /** The position reached by other fair queues. */
  readonly served: number;
}

/** A new task. */
interface Beginning {
  readonly input: NewTask;
  readonly record: NewRecord;
  readonly digest: string;
  /** The slot for the run, if it may begin at once. */
  readonly slot: BeginningSlot | undefined;
}

/** A free slot of this process for the run of a new task. */
export interface BeginningSlot {
  /** The channel on which the process of the slot receives cancels. */
  readonly channel: string;
}

/** Stores a task, by begin.lua or reject.lua. */
export function beginTask(redis: RedisClient, target: Target, begun: Beginning): Promise<ScriptReply> {
  if ('rejection' in begun.input.routing) {
    const { keys, args } = rejected(target, begun);
    return TASK_SCRIPTS.reject.run(redis, keys, args);
  }
  const { keys, args } = beginning(target, begun);
  return TASK_SCRIPTS.begin.run(redis, keys, args);
}

/** The input of begin.lua, for a task that waits for its run or begins with it. */
export function beginning(
  { keys, options, served }: Target,
  { input, record, digest, slot }: Beginning,
): InputOf<typeof TASK_SCRIPTS.begin> {
  const { id, owner, push } = input;
  const { traits, contextId } = record;
  const shard = shardOf(id);
  const lists = listsOf(keys, id, owner, contextId);
  const claimedText = slot === undefined ? '' : claimedWord(record);
  const bytes = bytesOf(record);
  // The usual task needs none of these.
  const hasMore = traits.isNamed || bytes.size !== '' || push !== undefined;
  return {
    keys: {
      ...{ sent: keys.sent(shard, digest), task: keys.task(id), due: keys.due(shard) },
      ...{ ownQueue: traits.isLimited ? keys.limitedQueue(shard) : keys.fairQueue(shard), turns: keys.turns(shard) },
      ...{ counts: keys.counts(shard), open: lists.open, tenantTasks: keys.ofTenant(shard, traits.tenant) },
      more: hasMore ? { openOfContext: lists.openOfContext, ...storedKeys(keys, id) } : undefined,
    },
    args: {
      ...{ id, requestHash: input.requestHash, markTtl: ttlOf(options), nonce: record.nonce },
      ...{ claimedWord: claimedText, waitingWord: wordText(record.word), leaseMs: options.leaseMs },
      ...{ stuckMs: options.stuckTtlMs, ttl: ttlOf(options), entry: record.entry, member: memberOf(id, traits) },
      ...{ tenant: tenantName(traits.tenant), elsewhere: served, count: `${traits.skillId} begun` },
      ...{ reply: input.replyTo ?? '', score: tenantScore(record.word.state, record.status.ms) },
      more: hasMore ? { isNamed: traits.isNamed ? 1 : '', ...bytes, ...hookArguments(keys, id, push) } : undefined,
      fields: slot === undefined ? record.fields : [...record.fields, ...claimedFields(record, slot.channel)],
    },
  };
}

/** The input of reject.lua, for a task without a skill. */
function rejected(
  { keys, options }: Pick<Target, 'keys' | 'options'>,
  { input, record, digest }: Omit<Beginning, 'slot'>,
): InputOf<typeof TASK_SCRIPTS.reject> {
  const { id, owner, push } = input;
  const shard = shardOf(id);
  const lists = listsOf(keys, id, owner, record.contextId);
  const { state } = record.word;
  return {
    keys: {
      ...{ sent: keys.sent(shard, digest), task: keys.task(id), over: keys.over(shard), counts: keys.counts(shard) },
      ...{ ended: lists.ended, endedOfContext: lists.endedOfContext, ofState: lists.ofState(state) },
      ofStateInContext: lists.ofStateInContext(state),
      tenantTasks: keys.ofTenant(shard, record.traits.tenant),
      ...storedKeys(keys, id),
    },
    args: {
      ...{ id, requestHash: input.requestHash, markTtl: ttlOf(options), nonce: record.nonce },
      ...{ word: wordText(record.word), keptMs: options.rejectedTtlMs, ttl: ttlOf(options), entry: record.entry },
      ...{ isNamed: record.traits.isNamed ? 1 : '', count: `- ${state}` },
      ...{ ...bytesOf(record), ...hookArguments(keys, id, push), fields: record.fields },
    },
  };
}

function storedKeys(keys: TaskKeys, id: string) {
  const shard = shardOf(id);
  return { bytes: keys.bytes(shard), push: keys.push(id), outbox: keys.outbox(shard) };
}

function hookArguments(keys: TaskKeys, id: string, push: NewTask['push']) {
  return { hook: push?.id ?? '', record: push?.record ?? '', hints: keys.hints, shard: shardName(shardOf(id)) };
}

function bytesOf({ bytes, journalBytes, traits }: NewRecord): Accounts & { readonly size: number | '' } {
  const accounts = accountsOf(traits);
  return { size: accounts.tenantAccount === '' ? '' : bytes + journalBytes, ...accounts };
}
