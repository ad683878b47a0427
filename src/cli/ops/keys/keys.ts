import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { rotated, type RotationStep } from './key-rotation.js';
import { OperatorError } from '../operator-error.js';
import type { Output } from '../output.js';

const WHAT_IS_NEXT: Readonly<Record<RotationStep, string>> = {
  stage: `It decrypts but does not encrypt yet. Give every process the new keys, restart the processes one after the other, then
run this command again with --promote.`,
  promote: `Each process encrypts with it after its next restart; the older keys still decrypt. After restarting every
process, run "parley ops keys reencrypt": it re-encrypts the other secrets and lists the keys that can be removed.`,
};

/**
 * Makes a rotation step in a file of keys. The file is replaced atomically: a reader never sees half of it.
 * @throws OperatorError for an unreadable file
 */
export function rotateFile(path: string, step: RotationStep, now: Date): Output {
  const mode = modeOf(path);
  const { keys, id } = rotated(readFileSync(path, 'utf8'), step, now);
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, `${keys.join('\n')}\n`, { flag: 'wx', mode });
  renameSync(draft, path);
  return { json: { path, step, id }, text: `${path} has the new key ${id}. ${WHAT_IS_NEXT[step]}` };
}

/** Makes a rotation step on the value of SECRET_KEYS, and prints the new value. */
export function rotateVariable(value: string, step: RotationStep, now: Date): Output {
  const { keys, id } = rotated(value, step, now);
  const SECRET_KEYS = keys.join(',');
  const text = `Store this new value of SECRET_KEYS in your secret store, and nowhere else:\n\n${SECRET_KEYS}\n\n${id}: ${WHAT_IS_NEXT[step]}`;
  return { json: { SECRET_KEYS, step, id }, text };
}

function modeOf(path: string): number {
  try {
    return statSync(path).mode & 0o777;
  } catch (error) {
    throw new OperatorError(`Cannot read ${path}: set --file to the file with the encryption keys.`, { cause: error });
  }
}
