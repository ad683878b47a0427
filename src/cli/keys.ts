import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { parseKeyRing } from '../secret/key-ring.js';
import { OperatorError } from './operator-error.js';
import type { Output } from './output.js';

/** More old keys than this open nothing that is still kept. */
const MOST_KEPT = 10;
/** An id of a key that was made here, by the second. */
const MADE_HERE = /^k\d{14}$/;

/**
 * Changes the sealing keys of a file, as `parseKeyRing` reads it, in two steps, so that no process meets a secret that it
 * cannot open: first the new key is added behind the current one and opens only; then, when every process has the file,
 * `promote` puts it first, and it seals. The file is replaced at once: a reader never sees half of it.
 * @throws OperatorError when the file cannot be read or there is nothing to promote
 */
export function rotateKeys(path: string, step: 'stage' | 'promote', now: Date): Output {
  const mode = modeOf(path);
  const before = readFileSync(path, 'utf8');
  parseKeyRing(before);
  const [current = '', next, ...older] = before.split(/[\s,]+/).filter(Boolean);
  const kept = [next, ...older].filter((key) => key !== undefined).slice(0, MOST_KEPT);
  if (step === 'stage') {
    const staged = `k${digitsOf(now)}:${randomBytes(32).toString('base64')}`;
    replace(path, [current, staged, ...kept], mode);
    const text = `${path} has a new key in the second place; it opens and does not seal yet.
Give every process the file and restart them one after the other, then run this again with --promote.`;
    return { json: { path, step, id: idOf(staged) }, text };
  }
  if (next === undefined || !isStaged(next, current)) {
    throw new OperatorError('No new key is in the second place: run "parley keys rotate" without --promote first.');
  }
  replace(path, [next, current, ...older], mode);
  const text = `${path}: ${idOf(next)} seals from the next start of each process on; the older keys go on opening.`;
  return { json: { path, step, id: idOf(next) }, text };
}

/** Ids that are made here sort by time; those of other keys say nothing of it. */
function isStaged(next: string, current: string): boolean {
  const [one, other] = [idOf(next), idOf(current)];
  return MADE_HERE.test(one) && (!MADE_HERE.test(other) || one > other);
}

function idOf(key: string): string {
  return key.slice(0, key.indexOf(':'));
}

function digitsOf(time: Date): string {
  return time.toISOString().replace(/\D/g, '').slice(0, 14);
}

function replace(path: string, keys: readonly string[], mode: number): void {
  const text = `${keys.join('\n')}\n`;
  parseKeyRing(text);
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, text, { flag: 'wx', mode });
  renameSync(draft, path);
}

function modeOf(path: string): number {
  try {
    return statSync(path).mode & 0o777;
  } catch (error) {
    throw new OperatorError(`${path} cannot be read: name the file that holds the sealing keys.`, { cause: error });
  }
}
