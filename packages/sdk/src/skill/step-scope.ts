import { AsyncLocalStorage } from 'node:async_hooks';
import { SkillFailure } from './skill-failure.js';

/** A step whose work is being done. */
interface Step {
  readonly name: string;
  /** How often each request was made, by its digest. */
  readonly requests: Map<string, number>;
}

const scope = new AsyncLocalStorage<Step>();

/** A step that calls skills, waits or asks: its result is stored, and its calls would not be repeated. */
export class CallInStep extends SkillFailure {
  override readonly name = 'CallInStep';
}

/** Does the work of a step. */
export function inStep<T>(name: string, work: () => T): T {
  return scope.run({ name, requests: new Map() }, work);
}

export function currentStep(): Step | undefined {
  return scope.getStore();
}

/** @throws CallInStep within the work of a step */
export function assertOutsideSteps(what: string): void {
  const step = scope.getStore();
  if (step === undefined) return;
  throw new CallInStep(
    `${what} within the step "${step.name}": a step does its own work only, so move it out of the step`,
  );
}
