import { createHash } from 'node:crypto';
import type { StreamResponse } from '../protocol/event.js';
import type { Task } from '../protocol/task.js';
import type { TaskFacts } from '../task/task-inspector.js';
import type { TaskWork } from '../task/task-work.js';

/** The format of a bundle. A reader refuses others. */
export const BUNDLE_FORMAT = 'parley-bundle/1';

/** The first line of a bundle. */
export interface Manifest {
  readonly kind: 'manifest';
  readonly format: string;
  readonly made: string;
  readonly service: string;
  readonly node: string;
  /** The task that it is about; its children follow. */
  readonly task: string;
  /** Whether texts and values are replaced by their sizes and marks. */
  readonly isStripped: boolean;
}

/** What is known of a task besides its content. */
export interface AboutTask extends TaskFacts, TaskWork {
  readonly webhooks?: unknown;
}

/** One line of a bundle behind its manifest. */
export type BundleLine =
  | { readonly kind: 'task'; readonly task: string; readonly value: AboutTask }
  | { readonly kind: 'snapshot'; readonly task: string; readonly value: Task }
  | { readonly kind: 'journal'; readonly task: string; readonly field: string; readonly value: unknown }
  | {
      readonly kind: 'event';
      readonly task: string;
      readonly seq: number;
      readonly nonce: string;
      readonly value: StreamResponse;
    }
  /** The bundle has reached its bound: what would follow is missing. */
  | { readonly kind: 'cut'; readonly task: string };

/** The last line: how many are before it, and the SHA-256 of their text. */
interface End {
  readonly kind: 'end';
  readonly lines: number;
  readonly sha256: string;
}

/** One task of a bundle. */
export interface RecordedTask {
  readonly about: AboutTask;
  readonly snapshot: Task;
  /** Entries of the journal by their fields (task/journal-entries.ts). */
  readonly journal: ReadonlyMap<string, unknown>;
  /** Its events in their order. */
  readonly events: readonly StreamResponse[];
  /** The number of the first event: those before it were trimmed where it is not 1. */
  readonly firstSeq: number;
}

export interface Bundle {
  readonly manifest: Manifest;
  readonly tasks: ReadonlyMap<string, RecordedTask>;
  readonly isCut: boolean;
}

/** A file that is no bundle, or was changed. */
export class BundleError extends Error {
  override readonly name = 'BundleError';
}

/** Ends lines with one that says how many there were and what they were. Each line ends with a line break. */
export async function* sealed(lines: AsyncIterable<string>): AsyncGenerator<string, void, void> {
  const digest = createHash('sha256');
  let count = 0;
  for await (const line of lines) {
    digest.update(`${line}\n`);
    count += 1;
    yield `${line}\n`;
  }
  yield `${JSON.stringify({ kind: 'end', lines: count, sha256: digest.digest('hex') } satisfies End)}\n`;
}

/** @throws BundleError for a text that is no whole bundle of this format */
export function readBundle(text: string): Bundle {
  const lines = text.split('\n').filter((line) => line !== '');
  const end = parsed(lines.at(-1)) as Partial<End>;
  if (end.kind !== 'end') throw new BundleError('The bundle is incomplete: its last line is missing');
  const body = lines.slice(0, -1);
  const digest = createHash('sha256')
    .update(body.map((line) => `${line}\n`).join(''))
    .digest('hex');
  if (digest !== end.sha256) throw new BundleError('The bundle was changed: its SHA-256 does not fit');
  const manifest = parsed(body[0]) as Manifest;
  if (manifest.format !== BUNDLE_FORMAT) {
    throw new BundleError(`The format of the bundle is ${manifest.format}, and this version reads ${BUNDLE_FORMAT}`);
  }
  const read = body.slice(1).map((line) => parsed(line) as BundleLine);
  const tasks = new Map<string, RecordedTask>();
  for (const id of new Set(read.map(({ task }) => task))) {
    const recorded = recordedTask(read.filter(({ task }) => task === id));
    if (recorded !== undefined) tasks.set(id, recorded);
  }
  return { manifest, tasks, isCut: read.some(({ kind }) => kind === 'cut') };
}

function recordedTask(lines: readonly BundleLine[]): RecordedTask | undefined {
  const journal = new Map<string, unknown>();
  const events: StreamResponse[] = [];
  let [about, snapshot]: [AboutTask?, Task?] = [];
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
