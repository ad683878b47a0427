import type { Undo } from '../../skill/calls/call.js';
import { checkStep } from './check-step.js';
import type { Known, Scope } from '../check/scope.js';
import type { AnyStep, Frame } from '../step.js';

/** Compensation of a step, as data. Without an input of its own it gets the result of that step. */
export function undoIn(undo: AnyStep | undefined, frame: Frame): Undo | undefined {
  if (undo?.bare === undefined) return undefined;
  const { skillId, hasInput, input } = undo.bare;
  return hasInput ? { skill: skillId, input: input(frame) } : { skill: skillId };
}

/** The same, with the result of finished work as the value of the step before. */
export function undoOfResult(
  undo: AnyStep | undefined,
  frame: Frame,
  { as, value }: { readonly as: string; readonly value: unknown },
): Undo | undefined {
  if (undo?.bare === undefined) return undefined;
  const values = frame.values.fork();
  values.set(as, value);
  const { skillId, input } = undo.bare;
  return { skill: skillId, input: input({ ...frame, values, facts: { ...frame.facts, last: value } }) };
}

/** @param known of the result that is taken back */
export function checkUndo(undo: AnyStep | undefined, scope: Scope, known: Known): void {
  if (undo === undefined) return;
  if (undo.bare === undefined) {
    scope.fault('its undo is a single call(…) without success, fallback and retry: it is tried again by itself');
    return;
  }
  checkStep(undo, scope, { segment: 'undo', isOptional: true, changes: { last: known } });
}
