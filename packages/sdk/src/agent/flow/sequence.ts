import type { JsonObject } from '@parley/protocol/model/json.js';
import { SkillFailure } from '../../skill/skill.js';
import { type ArtifactOptions, type Content, working } from '../../skill/events.js';
import { turnContent } from '../../skill/content/turn-content.js';
import type { SkillContext } from '../../skill/skill.js';
import type { StepOptions } from '../../skill/undo.js';
import type { Known, Scope } from '../check/scope.js';
import { checkStep } from './check-step.js';
import {
  type AnyStep,
  asked,
  type Facts,
  FlowEnd,
  type Frame,
  keyOf,
  LoopExit,
  NOTHING,
  type Outcome,
  segmentsOf,
  type Step,
  take,
} from '../step.js';
import type { Values } from './branch-values.js';
import { checkUndo, undoOfResult } from './undo.js';

/** Runs steps one after the other. Its result is that of the last step that has one. */
export function sequential<State extends object = Values>(...steps: readonly Step<State>[]): Step<State> {
  const segments = segmentsOf(steps);
  return {
    name: 'sequential',
    run: async (frame) => {
      let outcome = NOTHING;
      let { facts } = frame;
      for (const [at, step] of steps.entries()) {
        const own = await take(
          step,
          at === steps.length - 1 ? { ...frame, facts } : { ...frame, facts, accepts: [], isResult: false },
          segments[at],
        ).catch((error: unknown) => {
          throw withOutcome(error, outcome);
        });
        // A step without a value, or with an empty one, does not hide the one before it.
        if (isEmpty(own)) continue;
        outcome = own;
        facts = { ...facts, last: own.value };
      }
      return outcome;
    },
    check: (scope) => checkSequence(steps, segments, scope),
  };
}

/** Runs a step if the condition holds, and else the other one, if there is one. */
export function when<State extends object = Values>(
  condition: (state: State, facts: Facts) => boolean,
  then: Step<State>,
  otherwise?: Step<State>,
): Step<State> {
  return {
    name: 'when',
    run: async (frame) => {
      const chosen = asked(condition, frame) ? then : otherwise;
      return chosen === undefined ? NOTHING : take(chosen, frame);
    },
    check: (scope) => checkWays(otherwise === undefined ? [then] : [then, otherwise], scope, otherwise !== undefined),
  };
}

/**
 * Runs the one of several steps that a pure function chooses. The function returns a name of `targets`, or an `end`.
 * @example route(({ kind }) => (kind === 'legal' ? 'legal' : 'general'), { legal: call(…), general: call(…) })
 */
export function route<State extends object = Values>(
  choose: (state: State, facts: Facts) => string | Step,
  targets: Readonly<Record<string, Step<State>>>,
): Step<State> {
  return {
    name: 'route',
    run: async (frame) => {
      const choice = asked(choose, frame);
      if (typeof choice !== 'string') return take(choice, frame);
      const target = Object.hasOwn(targets, choice) ? targets[choice] : undefined;
      if (target === undefined)
        throw new SkillFailure(`There is no way "${choice}": ${Object.keys(targets).join(', ')}`);
      return take(target, frame, choice);
    },
    check: (scope) => {
      if (Object.keys(targets).length === 0) scope.fault('it has no targets');
      return checkWays(Object.values(targets), scope, true, Object.keys(targets));
    },
  };
}

/** A text of a flow, or a pure function that makes it of the values so far. */
export type StepText<State extends object = Values> = string | ((state: State, facts: Facts) => string);

/** Ends the flow, whatever steps are left. */
export const end = {
  completed: <State extends object = Values>(text: StepText<State>): Step<State> => endStep('completed', text),
  rejected: <State extends object = Values>(text: StepText<State>): Step<State> => endStep('rejected', text),
  failed: <State extends object = Values>(text: StepText<State>): Step<State> => endStep('failed', text),
} as const;

/** Leaves the innermost loop. */
export function exit(): Step {
  return {
    name: 'exit',
    run: () => Promise.reject(new LoopExit()),
    check: (scope) => {
      if (!scope.leave()) scope.fault('there is no loop to leave here');
      return { origin: 'the end of the loop', ends: true };
    },
  };
}

/** A value that a pure function makes of the values so far. It has no task and no entry in the journal. */
export function compute<State extends object = Values>(
  as: string,
  make: (state: State, facts: Facts) => unknown,
): Step<State> {
  return {
    ...{ name: as, as },
    run: async (frame) => ({ ...NOTHING, value: asked(make, frame) }),
    check: () => ({ origin: `the function of "${as}"` }),
  };
}

/** Writes the result of the flow, which is the last step then: an artifact of the agent's own. */
export function result<State extends object = Values>(
  artifactId: string,
  make: (state: State, facts: Facts) => Content,
  described: ArtifactOptions = {},
): Step<State> {
  return {
    name: artifactId,
    run: async (frame) => {
      const content = asked(make, frame);
      const parts = typeof content === 'string' ? [{ text: content }] : content;
      const { data, text } = turnContent([{ parts }]);
      return { value: data.length > 0 ? data[0] : text, artifacts: [{ artifactId, parts, ...described }] };
    },
    check: () => ({ origin: `the artifact "${artifactId}"` }),
  };
}

/**
 * Work of the agent itself: runs once, and its JSON result is kept in the journal. `undo` is the `call(…)` that takes it back, if
 * the task fails or is canceled later; its input may read the result. Work without effects outside of the service, `effects: 'none'`,
 * costs no write of its own.
 */
export function step<State extends object = Values>(
  as: string,
  work: (state: State, context: Pick<SkillContext, 'signal' | 'idempotencyKey' | 'log'>) => Promise<unknown>,
  { undo, effects }: { readonly undo?: Step<State> } & Partial<Pick<StepOptions<unknown>, 'effects'>> = {},
): Step<State> {
  const known = { origin: `the work of "${as}"` };
  return {
    ...{ name: as, as },
    run: async (frame) => {
      const { context } = frame;
      const done = (): Promise<unknown> => asked((state: State) => work(state, context), frame);
      const options = {
        ...(undo === undefined ? {} : { undo: (value: unknown) => undoOfResult(undo, frame, { as, value }) }),
        ...(effects === undefined ? {} : { effects }),
      };
      return { ...NOTHING, value: await context.step(keyOf(frame, as), done, options) };
    },
    check: (scope) => {
      const inner = scope.inside('');
      inner.write(as, known);
      checkUndo(undo, inner, known);
      return known;
    },
  };
}

/** Waits; the task holds no resources meanwhile. */
export function sleep(ms: number): Step {
  return {
    name: 'sleep',
    run: async ({ context }) => {
      await context.sleep(ms);
      return NOTHING;
    },
    check: (scope) => {
      if (!(ms >= 0)) scope.fault('a wait takes 0 ms or longer');
      return scope.last;
    },
  };
}

/** Reports progress to the caller. In a parallel branch its metadata has the path of the branch. */
export function say<State extends object = Values>(text: StepText<State>): Step<State> {
  return {
    name: 'say',
    run: async (frame) => {
      frame.emit(working(textOf(text, frame), branchOf(frame)));
      return NOTHING;
    },
    check: (scope) => scope.last,
  };
}

/** The steps that a flow may take from one position. Values that only some of them leave are optional afterwards. */
function checkWays(
  steps: readonly AnyStep[],
  scope: Scope,
  isComplete: boolean,
  segments: readonly string[] = steps.map(({ as, name }) => as ?? name),
): Known {
  const ways = steps.map((way, at) => {
    const inner = scope.inside(segments[at] ?? way.name);
    const known = way.check(inner);
    if (way.as !== undefined) inner.write(way.as, known);
    return { inner, known };
  });
  const going = ways.filter(({ known }) => known.ends !== true);
  for (const { inner } of going) {
    const isSure =
      isComplete && [...inner.written.keys()].every((name) => going.every((way) => way.inner.written.has(name)));
    scope.adopt(inner, !isSure);
  }
  const [first] = going;
  if (going.length === 0 && isComplete) return { origin: 'the end of the flow', ends: true };
  return going.length === 1 && isComplete && first !== undefined ? first.known : { origin: 'one of several steps' };
}

function checkSequence(steps: readonly AnyStep[], segments: readonly string[], scope: Scope): Known {
  if (steps.length === 0) scope.fault('it has no steps');
  let { last } = scope;
  let ends = false;
  for (const [at, each] of steps.entries()) {
    if (ends) scope.fault(`step "${segments[at] ?? each.name}" is never reached`);
    const known = checkStep(each, scope, { segment: segments[at] ?? each.name, changes: { last } });
    ends ||= known.ends === true;
    last = known;
  }
  return last;
}

/** A break keeps the current round's result. */
function withOutcome(error: unknown, outcome: Outcome): unknown {
  return error instanceof LoopExit && isEmpty(error.outcome) ? new LoopExit(outcome) : error;
}

function endStep<State extends object>(how: FlowEnd['how'], text: StepText<State>): Step<State> {
  return {
    name: 'end',
    run: async (frame) => {
      throw new FlowEnd(how, textOf(text, frame));
    },
    check: () => ({ origin: 'the end of the flow', ends: true }),
  };
}

function textOf<State extends object>(text: StepText<State>, frame: Frame): string {
  return typeof text === 'string' ? text : asked(text, frame);
}

function isEmpty({ value, artifacts }: Outcome): boolean {
  return value === undefined && artifacts.length === 0;
}

/** Metadata of an event in a parallel branch. */
function branchOf({ branch }: Frame): JsonObject | undefined {
  return branch === '' ? undefined : { branch };
}
