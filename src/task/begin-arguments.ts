import { beginningEntry, claimedWord, type NewRecord } from './new-record.js';
import type { NewTask } from './new-task.js';
import { runField } from './run-log.js';
import { wordText } from './state-word.js';
import { listsOf } from './task-lists.js';
import { accountsOf, memberOf, tenantName } from './task-record.js';
import { shardName, shardOf, type TaskKeys } from './task.keys.js';
import { type TaskOptions, ttlOf } from './task.options.js';

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
  /** The caller's channel for cancels, if it may claim the run. */
  readonly channel: string | undefined;
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

function waiting({ keys, options, served }: Target, { input, record, digest, channel }: Beginning) {
  const { id, owner, push } = input;
  const { traits, contextId } = record;
  const shard = shardOf(id);
  const lists = listsOf(keys, id, owner, contextId);
  const claimed = channel === undefined ? '' : claimedWord(record);
  const bytes = bytesOf(record);
  const args = [
    ...[id, input.requestHash, options.sentTtlMs, record.nonce, claimed, wordText(record.word)],
    ...[options.leaseMs, options.stuckTtlMs, ttlOf(options), record.entry],
    ...[traits.isNamed ? 1 : '', memberOf(id, traits), tenantName(traits.tenant), served, `${traits.skillId} begun`],
    ...bytes,
    ...[push?.id ?? '', push?.record ?? '', keys.hints, shardName(shard), input.replyTo ?? ''],
    ...record.fields,
  ];
  if (channel !== undefined) args.push('d', channel, runField(record.word.fence), beginningEntry(record, channel));
  const names = [
    ...[keys.sent(shard, digest), keys.task(id), keys.due(shard)],
    ...[traits.isLimited ? keys.limitedQueue(shard) : keys.fairQueue(shard), keys.turns(shard), keys.counts(shard)],
    ...[lists.open, keys.ofTenant(shard, traits.tenant)],
  ];
  // The usual task needs none of these: each name costs Redis and this process as much as a small command.
  if (traits.isNamed || bytes[0] !== '' || push !== undefined)
    names.push(lists.openOfContext, keys.bytes(shard), keys.push(id), keys.outbox(shard));
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
      ...[id, input.requestHash, options.sentTtlMs, record.nonce, wordText(record.word), options.rejectedTtlMs],
      ...[ttlOf(options), record.entry, record.traits.isNamed ? 1 : '', `- ${state}`],
      ...bytesOf(record),
      ...[push?.id ?? '', push?.record ?? '', keys.hints, shardName(shard)],
      ...record.fields,
    ],
  } as const;
}

function bytesOf({ bytes, traits }: NewRecord): readonly [bytes: number | '', ofTenant: string, ofClient: string] {
  const [ofTenant, ofClient] = accountsOf(traits);
  return [ofTenant === '' ? '' : bytes, ofTenant, ofClient];
}
