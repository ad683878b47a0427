import { randomBytes } from 'node:crypto';
import { parseKeyRing } from '../security/secret/key-ring.js';
import { OperatorError } from './operator-error.js';

/** First a key is staged: it opens only. When every process has it, it is promoted: it seals. */
export type RotationStep = 'stage' | 'promote';

export interface Rotation {
  /** All keys, the one that seals first. None is dropped: what it sealed stays in Redis until it is sealed again. */
  readonly keys: readonly string[];
  /** The key that the step is about. */
  readonly id: string;
}

/** An id of a key that was made here, by the second. */
const MADE_HERE = /^k\d{14}$/;

/**
 * The keys after a step, from what `parseKeyRing` reads. Two steps, so that no process ever meets a secret that it cannot
 * open. @throws OperatorError when there is nothing to promote; Error when the keys cannot be read
 */
export function rotated(text: string, step: RotationStep, now: Date): Rotation {
  parseKeyRing(text);
  const [current = '', ...others] = text.split(/[\s,]+/).filter(Boolean);
  if (step === 'stage') {
    const id = `k${now.toISOString().replace(/\D/g, '').slice(0, 14)}`;
    const keys = [current, `${id}:${randomBytes(32).toString('base64')}`, ...others];
    parseKeyRing(keys.join());
    return { keys, id };
  }
  const [next, ...older] = others;
  if (next === undefined || !isStaged(idOf(next), idOf(current))) {
    throw new OperatorError('No new key is in the second place: run "parley keys rotate" without --promote first.');
  }
  return { keys: [next, current, ...older], id: idOf(next) };
}

/** Ids that are made here sort by time; those of other keys say nothing of it. */
function isStaged(next: string, current: string): boolean {
  return MADE_HERE.test(next) && (!MADE_HERE.test(current) || next > current);
}

function idOf(key: string): string {
  return key.slice(0, key.indexOf(':'));
}
