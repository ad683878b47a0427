import { createHash } from 'node:crypto';
import { escaped } from '@parley/protocol/json/printable.js';
import type { TaskFacts } from '../../tasks/lists/task-inspector.js';
import type { TaskWork } from '../../tasks/store/task-work.js';
import {
  type Bundle as BundleOf,
  type BundleEnd,
  bundleOf,
  type RecordedTask as Recorded,
  sealedLines,
} from './bundle-lines.js';

/** Facts about a task besides its content. */
export interface AboutTask extends TaskFacts, TaskWork {
  readonly webhooks?: unknown;
}

export type Bundle = BundleOf<AboutTask>;
export type RecordedTask = Recorded<AboutTask>;

/** Appends a line with the count and digest of the others. Each line ends with a line break. */
export async function* sealed(lines: AsyncIterable<string>): AsyncGenerator<string, void, void> {
  const digest = createHash('sha256');
  let count = 0;
  for await (const text of lines) {
    // Bundles are printed on terminals, and contain texts of others.
    const line = escaped(text);
    digest.update(`${line}\n`);
    count += 1;
    yield `${line}\n`;
  }
  yield `${JSON.stringify({ kind: 'end', lines: count, sha256: digest.digest('hex') } satisfies BundleEnd)}\n`;
}

/** @throws BundleError for an incomplete bundle or another format */
export function readBundle(file: string): Bundle {
  const lines = sealedLines(file);
  return bundleOf(lines, createHash('sha256').update(lines.text).digest('hex'));
}
