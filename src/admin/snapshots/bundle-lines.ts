import type { StreamResponse } from '@parley/protocol/model/event.js';
import type { TaskState } from '@parley/protocol/model/task-state.js';
import type { Task } from '@parley/protocol/model/task.js';

/** The format of a bundle. A reader refuses others. */
export const BUNDLE_FORMAT = 'parley-bundle/1';

/** The first line of a bundle. */
export interface Manifest {
  readonly kind: 'manifest';
  readonly format: string;
  readonly made: string;
  readonly service: string;
  readonly node: string;
  /** The task of the bundle; its children follow. */
  readonly task: string;
  /** Whether texts and values are replaced by their sizes and marks. */
  readonly isStripped: boolean;
}

/** Facts about a task, besides its content, for comparisons. */
export interface RecordedFacts {
  readonly id: string;
  readonly state: TaskState;
  readonly skill: string;
  readonly tree?: { readonly path: string };
  readonly steps: readonly { readonly turn: number; readonly name: string; readonly ms?: number }[];
}

/** One line of a bundle behind its manifest. */
type BundleLine<About> =
  | { readonly kind: 'task'; readonly task: string; readonly value: About }
  | { readonly kind: 'snapshot'; readonly task: string; readonly value: Task }
  | { readonly kind: 'journal'; readonly task: string; readonly field: string; readonly value: unknown }
  | {
      readonly kind: 'event';
      readonly task: string;
      readonly seq: number;
      readonly nonce: string;
      readonly value: StreamResponse;
    }
  /** The bundle has reached its bound: the rest is missing. */
  | { readonly kind: 'cut'; readonly task: string };

/** The last line: the number of lines before it, and the SHA-256 of their text. */
export interface BundleEnd {
  readonly kind: 'end';
  readonly lines: number;
  readonly sha256: string;
}

/** One task of a bundle. */
export interface RecordedTask<About extends RecordedFacts = RecordedFacts> {
  readonly about: About;
  readonly snapshot: Task;
  /** Entries of the journal by their fields (tasks/record/journal-entries.ts). */
  readonly journal: ReadonlyMap<string, unknown>;
  /** Its events in their order. */
  readonly events: readonly StreamResponse[];
  /** The number of the first event: above 1 when earlier ones were trimmed. */
  readonly firstSeq: number;
}

export interface Bundle<About extends RecordedFacts = RecordedFacts> {
  readonly manifest: Manifest;
  readonly tasks: ReadonlyMap<string, RecordedTask<About>>;
  readonly isCut: boolean;
}

/** A file that is not a bundle, or was changed. */
export class BundleError extends Error {
  override readonly name = 'BundleError';
}

/** The lines of a bundle without its last one, and the content of that one. */
export interface SealedLines {
  readonly lines: readonly string[];
  /** The text that was sealed. */
  readonly text: string;
  readonly sha256: string | undefined;
}

/** @throws BundleError when the last line is missing */
export function sealedLines(file: string): SealedLines {
  const all = file.split('\n').filter((line) => line !== '');
  const end = parsed(all.at(-1)) as Partial<BundleEnd>;
  if (end.kind !== 'end') throw new BundleError('The bundle is incomplete: its last line is missing');
  const lines = all.slice(0, -1);
  return { lines, text: lines.map((line) => `${line}\n`).join(''), sha256: end.sha256 };
}

/**
 * Reads the lines of a bundle. Browsers and servers compute digests differently, so the caller computes it.
 * @param digest the SHA-256 of the sealed text @throws BundleError for a changed text, and for another format
 */
export function bundleOf<About extends RecordedFacts>({ lines, sha256 }: SealedLines, digest: string): Bundle<About> {
  if (digest !== sha256) throw new BundleError('The bundle was changed: its SHA-256 does not fit');
  const manifest = parsed(lines[0]) as Manifest;
  if (manifest.format !== BUNDLE_FORMAT) {
    throw new BundleError(`The format of the bundle is ${manifest.format}, and this version reads ${BUNDLE_FORMAT}`);
  }
  const read = lines.slice(1).map((line) => parsed(line) as BundleLine<About>);
  const tasks = new Map<string, RecordedTask<About>>();
  for (const id of new Set(read.map(({ task }) => task))) {
    const recorded = recordedTask(read.filter(({ task }) => task === id));
    if (recorded !== undefined) tasks.set(id, recorded);
  }
  return { manifest, tasks, isCut: read.some(({ kind }) => kind === 'cut') };
}

function recordedTask<About extends RecordedFacts>(
  lines: readonly BundleLine<About>[],
): RecordedTask<About> | undefined {
  const journal = new Map<string, unknown>();
  const events: StreamResponse[] = [];
  let [about, snapshot]: [About?, Task?] = [];
  let firstSeq = 1;
  for (const line of lines) {
    if (line.kind === 'task') about = line.value;
    if (line.kind === 'snapshot') snapshot = line.value;
    if (line.kind === 'journal') journal.set(line.field, line.value);
    if (line.kind !== 'event') continue;
    if (events.length === 0) firstSeq = line.seq;
    events.push(line.value);
  }
  return about === undefined || snapshot === undefined ? undefined : { about, snapshot, journal, events, firstSeq };
}

function parsed(line: string | undefined): unknown {
  try {
    return JSON.parse(line ?? '');
  } catch (cause) {
    throw new BundleError('The file is no bundle: a line of it is no JSON', { cause });
  }
}
