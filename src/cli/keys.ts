import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { rotated, type RotationStep } from './key-rotation.js';
import { OperatorError } from './operator-error.js';
import type { Output } from './output.js';

const WHAT_IS_NEXT: Readonly<Record<RotationStep, string>> = {
  stage: `It opens and does not seal yet. Give every process the keys and restart them one after the other, then run this
again with --promote.`,
  promote: `It seals from the next start of each process on; the older keys go on opening what they sealed. When every
process was restarted, "parley keys reseal" seals the rest again, and says which keys may go.`,
};

/**
 * Takes a step in a file of keys. The file is replaced at once: a reader never sees half of it.
 * @throws OperatorError when the file cannot be read
 */
export function rotateFile(path: string, step: RotationStep, now: Date): Output {
  const mode = modeOf(path);
  const { keys, id } = rotated(readFileSync(path, 'utf8'), step, now);
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, `${keys.join('\n')}\n`, { flag: 'wx', mode });
  renameSync(draft, path);
  return { json: { path, step, id }, text: `${path} has the new key ${id}. ${WHAT_IS_NEXT[step]}` };
}

/** Takes a step in the value of SECRET_KEYS, and shows what its secret has to hold from now on. */
export function rotateVariable(value: string, step: RotationStep, now: Date): Output {
  const { keys, id } = rotated(value, step, now);
  const SECRET_KEYS = keys.join(',');
  const text = `Put this in the place where SECRET_KEYS is kept, and nowhere else:\n\n${SECRET_KEYS}\n\n${id}: ${WHAT_IS_NEXT[step]}`;
  return { json: { SECRET_KEYS, step, id }, text };
}

function modeOf(path: string): number {
  try {
    return statSync(path).mode & 0o777;
  } catch (error) {
    throw new OperatorError(`${path} cannot be read: name the file that holds the sealing keys.`, { cause: error });
  }
}
