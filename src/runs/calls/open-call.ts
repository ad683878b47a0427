import type { Part } from '@parley/protocol/model/message.js';
import type { CallInput, Undo } from '@parley/sdk/skill/calls/call.js';
import { loopOf, type Transferred, transferred } from '@parley/sdk/skill/calls/transfer-path.js';
import type { SkillOptions } from '@parley/sdk/skill/skill.js';
import type { LocalRuns, RunSlot } from '../local-runs.js';
import type { ClaimedRun } from '../../tasks/commit/run.store.js';
import { type JournalEntry, undoEntry } from '../../tasks/record/journal-entries.js';
import type { NewChild, NewGroup } from '../../tasks/tree/tree.store.js';
import type { Refusal } from '../../agents/tree/child-outcome.js';

/** The calls that one wait of the skill awaits. */
export interface OpenGroup {
  readonly number: number;
  readonly group: NewGroup;
  readonly calls: readonly OpenCall[];
  /** The called skills, in the order of the calls. */
  readonly skillIds: readonly string[];
}

/** A call: a child, or the reason for having none. */
export type OpenCall = ChildCall | { readonly refusal: Refusal };

export interface ChildCall {
  readonly child: NewChild;
  /** Deadline of the child, ms by Redis' clock. */
  readonly until: number | undefined;
  readonly undo?: Undo;
  readonly terms?: Terms;
}

/** Conditions on the result of a call, and the skill whose contract sets them. */
export interface Terms {
  readonly skill: Pick<SkillOptions, 'id' | 'conditions'>;
  readonly success: readonly string[];
}

/** The texts of refusals by a limit. */
export const LIMITED = {
  'too-many-children': 'a task has children,',
  'too-many-tasks': 'a tree has tasks,',
  'too-deep': 'a tree has levels,',
  'too-many-transfers': 'a tree has transfers,',
} as const;

export function refused(why: Refusal['why'], text: string): OpenCall {
  return { refusal: { why, text } };
}

/** Whether refused calls alone settle a group. */
export function isLost({ group: { children, refused: failed, mostFailed } }: OpenGroup): boolean {
  return children === 0 || (mostFailed > 0 && failed >= mostFailed);
}

/** The parts of a child's message. */
export function partsOf(input: CallInput): readonly Part[] {
  if (typeof input === 'string') return [{ text: input }];
  return isParts(input) ? input : [{ data: input }];
}

function isParts(input: Exclude<CallInput, string>): input is readonly Part[] {
  return Array.isArray(input);
}

/** The compensations of children, in case they complete; stored with the children. */
export function undoEntries(
  turn: number,
  groups: readonly OpenGroup[],
  made: readonly NewChild[],
): readonly JournalEntry[] {
  const ids = new Set(made.map(({ id }) => id));
  return groups.flatMap(({ number, calls }) =>
    calls.flatMap((call, place) => {
      if (!('child' in call) || call.undo === undefined || !ids.has(call.child.id)) return [];
      const { id, tree } = call.child;
      return [undoEntry(turn, [number, place], { ...call.undo, of: tree.key, child: id })];
    }),
  );
}

/** Slots of this process for the children that may begin, by their ids. */
export function slotsFor(
  local: Pick<LocalRuns, 'takeSlot'>,
  groups: readonly OpenGroup[],
  children: readonly NewChild[],
): ReadonlyMap<string, RunSlot> {
  const left = new Map(groups.map(({ group: { name, limit } }) => [name, limit === 0 ? Infinity : limit]));
  const slots = new Map<string, RunSlot>();
  for (const { id, tree, routing } of children) {
    const most = left.get(tree.group) ?? 0;
    const slot = most > 0 && 'skillId' in routing ? local.takeSlot(routing.skillId) : undefined;
    if (slot === undefined) continue;
    left.set(tree.group, most - 1);
    slots.set(id, slot);
  }
  return slots;
}

/** The hand-overs from the root to a new one; a text when it is refused as a loop. */
export function transfersTo(
  { transfers, skillId, messages }: ClaimedRun,
  to: string,
  input: CallInput,
): readonly Transferred[] | string {
  const own = messages.flatMap(({ parts }) => parts);
  const path = transfers ?? [transferred(skillId, own)];
  const next = transferred(to, partsOf(input));
  return loopOf(path, next) ?? [...path, next];
}
