import { foldTask } from '@parley/protocol/model/fold-task.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Artifact, Task, TaskStatus } from '@parley/protocol/model/task.js';
import { stepOf } from '../../tasks/record/journal-entries.js';
import { type Bundle, BundleError, type RecordedFacts, type RecordedTask } from './bundle-lines.js';

/** Facts about a task for a snapshot. */
interface PlacedFacts extends RecordedFacts {
  readonly created: string;
  readonly tree?: { readonly parent: string; readonly path: string };
}

type Recorded = RecordedTask<PlacedFacts>;

/** A task as stored at one of its events. */
export interface TaskAt {
  readonly task: string;
  readonly skill: string;
  /** The number of the event, and of the latest one. */
  readonly seq: number;
  readonly of: number;
  readonly status: TaskStatus;
  readonly artifacts: readonly Artifact[];
  /** The shared values as seen by a step at that time, by name. */
  readonly shared: JsonObject;
  /** The steps with stored results, in that order. */
  readonly steps: readonly StepAt[];
  /** The children that had begun and not ended at the event, also by the progress in its log. */
  readonly open: readonly { readonly task: string; readonly path: string }[];
}

export interface StepAt {
  readonly turn: number;
  readonly name: string;
  readonly value: unknown;
}

/** @throws BundleError for a missing task, and for a trimmed event */
export function snapshotAt({ tasks }: Bundle<PlacedFacts>, id: string, seq: number): TaskAt {
  const recorded = tasks.get(id);
  if (recorded === undefined) throw new BundleError(`The bundle has no task ${id}`);
  const { about, events, firstSeq } = recorded;
  const last = firstSeq + events.length - 1;
  if (!Number.isInteger(seq) || seq < firstSeq || seq > last) {
    throw new BundleError(`The events ${String(firstSeq)} to ${String(last)} are stored, and not ${String(seq)}`);
  }
  const { status, artifacts = [] } = folded(recorded, seq);
  return {
    ...{ task: id, skill: about.skill, seq, of: last, status, artifacts },
    shared: sharedAt(recorded, seq),
    steps: stepsAt(recorded, seq),
    open: openAt([...tasks.values()], id, timeOf(recorded, seq) ?? status.timestamp),
  };
}

/** The time of the latest status up to an event, also of children; undefined when all before it are gone. */
function timeOf({ events, firstSeq }: Recorded, seq: number): string | undefined {
  const before = events.slice(0, seq - firstSeq + 1);
  const times = before.flatMap((event) => ('statusUpdate' in event ? [event.statusUpdate.status.timestamp] : []));
  return times.sort().at(-1);
}

function folded({ snapshot, events, firstSeq }: Recorded, seq: number): Task {
  const [first, ...later] = events.slice(0, seq - firstSeq + 1);
  const begun = first !== undefined && 'task' in first;
  const before = begun ? first.task : { ...snapshot, artifacts: [], history: [] };
  return foldTask(before, begun || first === undefined ? later : [first, ...later]);
}

/** Writes of a task are numbered by turn and call. */
function sharedAt({ journal }: Recorded, seq: number): JsonObject {
  const writes = [...journal].flatMap(([field, value]) => {
    const [, turn, call] = /^\$(\d+)\.(\d+)$/.exec(field) ?? [];
    return turn === undefined ? [] : [{ turn: Number(turn), call: Number(call), ...(value as StoredValues) }];
  });
  const known = writes.filter((write) => write.seq <= seq).sort((a, b) => a.turn - b.turn || a.call - b.call);
  return Object.assign({}, ...known.map(({ values }) => values)) as JsonObject;
}

interface StoredValues {
  readonly seq: number;
  readonly values: JsonObject;
}

/** Steps of an earlier version have no event number: they are in no snapshot. */
function stepsAt({ journal }: Recorded, seq: number): readonly StepAt[] {
  const steps = [...journal].flatMap(([field, entry]) => {
    const step = stepOf(field);
    const { seq: at = Infinity, at: ms = 0, value } = entry as { seq?: number; at?: number; value?: unknown };
    return step === undefined || at > seq ? [] : [{ ...step, value, ms }];
  });
  return steps.sort((a, b) => a.ms - b.ms).map(({ turn, name, value }) => ({ turn, name, value }));
}

function openAt(tasks: readonly Recorded[], parent: string, at: string): TaskAt['open'] {
  const children = tasks.filter(({ about }) => about.tree?.parent === parent && about.created <= at);
  const open = children.filter(({ snapshot: { status } }) => status.timestamp > at);
  return open.map(({ about }) => ({ task: about.id, path: about.tree?.path ?? about.skill }));
}
