import { randomBytes } from 'node:crypto';
import { parseKeyRing } from '../../../secrets/key-ring.js';
import { OperatorError } from '../operator-error.js';

/** `stage` adds a key that only decrypts. When every process has it, `promote` makes it the encrypting key. */
export type RotationStep = 'stage' | 'promote';

export interface Rotation {
  /**
   * All keys, the encrypting one first. No key is dropped: secrets encrypted with it stay in Redis until re-encrypted.
   */
  readonly keys: readonly string[];
  /** The key added or promoted by the step. */
  readonly id: string;
}

/** The id of a key created here, with its time in seconds. */
const MADE_HERE = /^k\d{14}$/;

/**
 * The keys after a step, in the format of `parseKeyRing`. Two steps, so that every process can always decrypt every
 * secret. @throws OperatorError when there is nothing to promote; Error when the keys cannot be read
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
    throw new OperatorError(
      'There is no staged key in second position: run "parley ops keys rotate" without --promote first.',
    );
  }
  return { keys: [next, current, ...older], id: idOf(next) };
}

/** Ids created here sort by time; ids of other keys do not. */
function isStaged(next: string, current: string): boolean {
  return MADE_HERE.test(next) && (!MADE_HERE.test(current) || next > current);
}

function idOf(key: string): string {
  return key.slice(0, key.indexOf(':'));
}
