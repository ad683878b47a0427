import { beginningEntry, claimedWord, type NewRecord } from './new-record.js';
import { headOfGiven, type LentSlot } from './lent-run.js';
import type { NewTask } from './new-task.js';
import { runField } from './run-log.js';
import { wordText } from './state-word.js';
import { listsOf } from './task-lists.js';
import { accountsOf, memberOf, tenantName } from './task-record.js';
import { shardName, shardOf, type TaskKeys } from './task.keys.js';
import { type TaskOptions, ttlOf } from './task.options.js';
import { tenantScore } from './tenant-score.js';

/** Where a task begins. */
interface Target {
  readonly keys: TaskKeys;
  readonly options: TaskOptions;
  /** The position that other fair queues have reached. */
  readonly served: number;
}

interface Beginning {
  readonly input: NewTask;
  readonly record: NewRecord;
  readonly digest: string;
  /** Where the run begins, if it may begin at once. */
  readonly slot: BeginningSlot | undefined;
}

/** A free slot for the run of a new task: of this process, or one that another process has lent. */
export interface BeginningSlot {
  /** The channel on which the process of the slot receives cancels. */
  readonly channel: string;
  readonly lent?: LentSlot;
}

/** The script that begins a task, with its KEYS and ARGV. */
export function beginning(
  target: Target,
  begun: Beginning,
): {
  readonly script: 'begin' | 'reject';
  readonly keys: readonly string[];
  readonly args: readonly (string | number)[];
} {
  return 'rejection' in begun.input.routing ? rejected(target, begun) : waiting(target, begun);
}

function waiting({ keys, options, served }: Target, { input, record, digest, slot }: Beginning) {
  const { id, owner, push } = input;
  const { traits, contextId } = record;
  const shard = shardOf(id);
  const lists = listsOf(keys, id, owner, contextId);
  const claimed = slot === undefined ? '' : claimedWord(record);
  const { lent } = slot ?? {};
  const bytes = bytesOf(record);
  const args = [
    ...[id, input.requestHash, ttlOf(options), record.nonce, claimed, wordText(record.word)],
    ...[options.leaseMs, options.stuckTtlMs, ttlOf(options), record.entry],
    ...[memberOf(id, traits), tenantName(traits.tenant), served, `${traits.skillId} begun`, input.replyTo ?? ''],
    tenantScore(record.word.state, record.status.ms),
  ];
  const hasMore = traits.isNamed || bytes[0] !== '' || push !== undefined;
  // The usual task needs none of these: each argument and each name costs Redis and this process as much as a small command.
  if (hasMore) {
    args.push(10, traits.isNamed ? 1 : '', ...bytes);
    args.push(push?.id ?? '', push?.record ?? '', keys.hints, shardName(shard));
  } else args.push(lent === undefined ? 0 : 2);
  if (lent !== undefined) args.push(lent.lender, headOfGiven(lent, id, claimed));
  else if (hasMore) args.push('', '');
  // The first event and what follows is not given to a worker: begin.lua counts it.
  if (lent !== undefined && input.replyTo !== undefined) args.push('r', input.replyTo);
  for (const field of record.fields) args.push(field);
  if (slot !== undefined)
    args.push('d', slot.channel, runField(record.word.fence), beginningEntry(record, slot.channel));
  const names = [
    ...[keys.sent(shard, digest), keys.task(id), keys.due(shard)],
    ...[traits.isLimited ? keys.limitedQueue(shard) : keys.fairQueue(shard), keys.turns(shard), keys.counts(shard)],
    ...[lists.open, keys.ofTenant(shard, traits.tenant)],
  ];
  if (hasMore) names.push(lists.openOfContext, keys.bytes(shard), keys.push(id), keys.outbox(shard));
  return { script: 'begin', keys: names, args } as const;
}

function rejected({ keys, options }: Target, { input, record, digest }: Beginning) {
  const { id, owner, push } = input;
  const shard = shardOf(id);
  const lists = listsOf(keys, id, owner, record.contextId);
  const { state } = record.word;
  return {
    script: 'reject',
    keys: [
      ...[keys.sent(shard, digest), keys.task(id), keys.over(shard), keys.counts(shard), lists.ended],
      ...[lists.endedOfContext, lists.ofState(state), keys.bytes(shard), keys.push(id), keys.outbox(shard)],
      ...[lists.ofStateInContext(state), keys.ofTenant(shard, record.traits.tenant)],
    ],
    args: [
      ...[id, input.requestHash, ttlOf(options), record.nonce, wordText(record.word), options.rejectedTtlMs],
      ...[ttlOf(options), record.entry, record.traits.isNamed ? 1 : '', `- ${state}`],
      ...bytesOf(record),
      ...[push?.id ?? '', push?.record ?? '', keys.hints, shardName(shard)],
      ...record.fields,
    ],
  } as const;
}

function bytesOf({
  bytes,
  journalBytes,
  traits,
}: NewRecord): readonly [bytes: number | '', ofTenant: string, ofClient: string] {
  const [ofTenant, ofClient] = accountsOf(traits);
  return [ofTenant === '' ? '' : bytes + journalBytes, ofTenant, ofClient];
}
