import { inputOfResult } from '../skill/calls/undo-input.js';
import type { MadeCall, TestTurn, TestUndo } from './waiting-run.js';

/** Further tries of a failed undo, as in the service. */
const DEFAULT_TRIES = 5;

/** Result of undoing the finished work of a failed turn. */
export interface UndoneWork {
  /** The calls that took work back, newest work first; their keys are `undo` and the name of the work. */
  readonly undone: readonly MadeCall[];
  /** Those that failed each time they were tried. */
  readonly notUndone: readonly MadeCall[];
}

/** Takes back the finished work of a turn as the service does. Pauses between tries take no time. */
export async function undoWork(turn: TestTurn): Promise<UndoneWork> {
  const undone: MadeCall[] = [];
  const notUndone: MadeCall[] = [];
  const newestFirst = [...turn.undos].sort(({ at: a }, { at: b }) => b[0] - a[0] || b[1] - a[1]);
  for (const work of newestFirst.filter(({ outcome }) => outcome === undefined || !('why' in outcome))) {
    const made = await undo(turn, work);
    ('why' in made.outcome ? notUndone : undone).push(made);
  }
  return { undone, notUndone };
}

async function undo(turn: TestTurn, { of, undo: { skill, input, retry }, outcome }: TestUndo): Promise<MadeCall> {
  const call = { key: `undo ${of}`, skillId: skill, input: input ?? inputOfResult(outcome) };
  for (let tries = retry?.times ?? DEFAULT_TRIES; ; tries -= 1) {
    const made = await turn.child(call);
    if (tries === 0 || !('why' in made) || made.why !== 'failed') return { ...call, outcome: made };
  }
}
