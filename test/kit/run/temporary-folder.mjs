// Folders of one process, removed when it exits: also after an error, and where it was stopped before it came to its end.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** @type {Set<string>} */
const folders = new Set();

/**
 * Makes a new folder. Inside of Jest nobody hears of the exit: there the folder of the run has it (start-run.mjs).
 *
 * @param {string} name
 * @returns {string}
 */
export function temporaryFolder(name) {
  if (folders.size === 0) process.once('exit', removeAll);
  const folder = mkdtempSync(join(tmpdir(), `parley-${name}-`));
  folders.add(folder);
  return folder;
}

function removeAll() {
  // A process that was killed a moment ago may still write.
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
