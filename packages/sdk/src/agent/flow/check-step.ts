import type { Known, Place, Scope } from '../check/scope.js';
import type { AnyStep } from '../step.js';

/** How a step is checked below another one. */
export interface CheckOptions {
  /** Its part of the path. Default: its name. */
  readonly segment?: string;
  readonly changes?: Partial<Omit<Place, 'path' | 'values'>>;
  /** It does not run on every way. */
  readonly isOptional?: boolean;
}

/** Checks a step below another one, whose scope learns its writes. */
export function checkStep(
  step: AnyStep,
  scope: Scope,
  { segment = step.as ?? step.name, changes = {}, isOptional = false }: CheckOptions = {},
): Known {
  const inner = scope.inside(segment, changes);
  const known = step.check(inner);
  if (step.as !== undefined) inner.write(step.as, known);
  scope.adopt(inner, isOptional);
  return known;
}
