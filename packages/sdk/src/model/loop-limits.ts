import { SkillFailure } from '../skill/skill-failure.js';

/** Limits of one conversation with a model. */
export interface LoopLimits {
  /** Most requests to the model; default 12. */
  readonly rounds?: number;
  /** Most calls of tools; default 20. */
  readonly calls?: number;
  /** Calls of one reply that run at the same time; default 8. */
  readonly atOnce?: number;
  /** Equal calls: this one gets the result of the first, and the next ends the conversation; default 3. */
  readonly repeat?: number;
  /** Characters of a result that the model reads at once; default 16,384. A longer one is stored, and read in pieces. */
  readonly resultChars?: number;
  /** At the last round, or when the calls are used up: the model answers with what it knows (`answer`, default), or the step fails. */
  readonly onLimit?: 'answer' | 'fail';
}

export const LOOP_LIMITS: Required<LoopLimits> = {
  rounds: 12,
  calls: 20,
  atOnce: 8,
  repeat: 3,
  resultChars: 16_384,
  onLimit: 'answer',
};

/** The limits that are no whole number above 0. */
export function limitFaults(limits: LoopLimits): readonly string[] {
  const names = ['rounds', 'calls', 'atOnce', 'repeat', 'resultChars'] as const;
  return names
    .filter((name) => !(Number.isInteger(limits[name] ?? 1) && (limits[name] ?? 1) > 0))
    .map((name) => `limits.${name} is a whole number above 0`);
}

/** Thrown when a model does not come to an end: which limit it has reached. */
export class LoopStopped extends SkillFailure {
  override readonly name = 'LoopStopped';

  constructor(
    readonly limit: 'rounds' | 'calls' | 'repeat' | 'mistakes',
    message: string,
  ) {
    super(message, { fault: 'failed' });
  }
}
