import {
  type Approval,
  CallFailed,
  type CallFault,
  type CallInput,
  type CallOptions,
  type CallResult,
} from '../../skill/calls/call.js';
import { versionFault } from '../../skill/calls/conditions.js';
import { jsonSchemaOf } from '../../skill/contract/json-schema.js';
import {
  idOf,
  type SkillClass,
  type SkillContext,
  SkillFailure,
  type SkillOptions,
  type SkillRef,
} from '../../skill/skill.js';
import type { Known, Scope } from '../check/scope.js';
import { checkStep } from './check-step.js';
import { checkInput, inputOf, type StepInput, type TypedInput } from '../source.js';
import { checkUndo, undoIn } from './undo.js';
import { asked, type Frame, keyOf, named, type Outcome, type Step, take } from '../step.js';
import type { Values } from './branch-values.js';

/** Further tries of a call that failed. The pauses between them hold no resources. */
export interface Retry {
  /** Tries after the first one. */
  readonly times: number;
  /** The first pause, ms; each further one is twice as long. Default 1,000. */
  readonly backoffMs?: number;
  /** The faults that are worth another try. Default: `failed`. */
  readonly on?: readonly CallFault[];
}

/** How a call is made. */
export interface CallStepOptions<State extends object = Values> {
  /** The name under which later steps find its value. */
  readonly as?: string;
  /** Default: the value of the step before, and at first the message. */
  readonly input?: StepInput<State>;
  /** Whether the value is good enough; without it, any is. A pure function. */
  readonly success?: (value: unknown, state: State) => boolean;
  /** Runs instead if the call fails, or its value is not good enough; `facts.failure` says why. */
  readonly fallback?: Step<State>;
  readonly retry?: Retry;
  /**
   * For a skill with irreversible effects: whether it may run now. A text says why no approval is needed.
   */
  readonly approved?: string | ((state: State) => boolean);
  /** Asks the caller before the call is made; without a yes there is no child, and the call fails as `denied`. */
  readonly approval?: true | Approval;
  /**
   * The `call(…)` that undoes the work of the skill, if the task fails or is canceled later. Its input is known before
   * the call is made; without one it is the result of the call.
   */
  readonly undo?: Step<State>;
  /**
   * Events of the called skill in the stream of the agent: its messages and its end (`status`, default), its artifacts
   * too (`artifacts`), or nothing (`none`).
   */
  readonly progress?: 'status' | 'artifacts' | 'none';
  /** History of the agent that the called skill gets (`shared('parent')`): nothing by default. */
  readonly history?: 'none' | 'last' | 'all';
  /** The version of the skill that the flow is written for: another one stops the start. */
  readonly version?: number;
}

const DEFAULT_BACKOFF_MS = 1_000;

/** A skill class whose input the compiler knows: a call checks against it. */
export type TypedSkill<Input> = SkillClass & { readonly takes?: Input };

/** Options of a call whose input the compiler knows. */
type TypedCall<State extends object, Input> = Omit<CallStepOptions<State>, 'input'> & {
  readonly input?: TypedInput<State, Input>;
};

/** Runs another skill, by its id or its class, as a child task. */
export function call<State extends object = Values>(
  skill: string | (SkillClass & { readonly takes?: never }),
  options?: CallStepOptions<State>,
): Step<State>;
export function call<State extends object = Values, Input = unknown>(
  skill: TypedSkill<Input>,
  options?: TypedCall<State, Input>,
): Step<State>;
export function call<State extends object = Values>(
  skill: SkillRef,
  options: CallStepOptions<State> = {},
): Step<State> {
  const skillId = idOf(skill);
  const { as, input, success, fallback, retry, approved, undo } = options;
  const isBare = [success, fallback, retry].every((one) => one === undefined) && typeof approved !== 'function';
  const bare = {
    skillId,
    input: (frame: Frame) => inputOf(input, frame),
    hasInput: input !== undefined,
    options: termsOf(options),
    ...(undo === undefined ? {} : { undo: (frame: Frame) => undoIn(undo, frame) }),
  };
  return {
    name: skillId,
    ...named(as),
    ...(isBare ? { bare } : {}),
    run: async (frame) => {
      if (typeof approved === 'function' && !asked(approved, frame)) {
        throw new SkillFailure(`"${skillId}" was not approved`);
      }
      try {
        const outcome = await tried(skillId, options, frame);
        const isGood = success === undefined || asked((state: State) => success(outcome.value, state), frame);
        if (isGood) return outcome;
        throw new SkillFailure(`The result of "${skillId}" is not good enough`);
      } catch (error) {
        if (fallback === undefined || !(error instanceof SkillFailure)) throw error;
        return take(fallback, { ...frame, facts: { ...frame.facts, failure: error.message } });
      }
    },
    check: (scope) => checkCall(skill, options, scope),
  };
}

/** The value of a call: the output of the skill, or its text. */
export function outcomeOf({ data, text, artifacts }: CallResult): Outcome {
  return { value: data.length > 0 ? data[0] : text, artifacts };
}

type PassedOn = 'approval' | 'progress' | 'history' | 'version';

function termsOf({
  approval,
  progress,
  history,
  version,
}: Pick<CallStepOptions, PassedOn>): Pick<CallOptions, PassedOn> {
  return {
    ...(approval === undefined ? {} : { approval }),
    ...(progress === undefined ? {} : { progress }),
    ...(history === undefined ? {} : { history }),
    ...(version === undefined ? {} : { version }),
  };
}

async function tried<State extends object>(
  skillId: string,
  { input, retry, undo, ...rest }: CallStepOptions<State>,
  frame: Frame,
): Promise<Outcome> {
  const { context } = frame;
  const path = keyOf(frame, skillId);
  const { times = 0, backoffMs = DEFAULT_BACKOFF_MS, on = ['failed'] } = retry ?? {};
  const given = inputOf(input, frame);
  const taken = undoIn(undo, frame);
  const terms = { ...termsOf(rest), accepts: frame.accepts, ...(taken === undefined ? {} : { undo: taken }) };
  for (let attempt = 0; ; attempt += 1) {
    const key = attempt === 0 ? path : `${path}~${String(attempt + 1)}`;
    const outcome = await called(context, { skillId, given, options: { key, ...terms } });
    if (!(outcome instanceof CallFailed)) return outcome;
    if (attempt >= times || !on.includes(outcome.why)) throw outcome;
    await context.sleep(backoffMs * 2 ** attempt);
  }
}

async function called(
  { call: make }: SkillContext,
  { skillId, given, options }: { readonly skillId: string; readonly given: CallInput; readonly options: CallOptions },
): Promise<Outcome | CallFailed> {
  try {
    return outcomeOf(await make(skillId, given, options));
  } catch (error) {
    if (error instanceof CallFailed) return error;
    throw error;
  }
}

function checkCall<State extends object>(
  skill: SkillRef,
  { input, fallback, retry, approved, approval, undo, version }: CallStepOptions<State>,
  scope: Scope,
): Known {
  if (retry !== undefined && !(Number.isInteger(retry.times) && retry.times > 0)) {
    scope.fault('retry.times is a whole number above 0');
  }
  if (fallback !== undefined) checkStep(fallback, scope, { isOptional: true });
  const skillId = idOf(skill);
  const target = scope.target(skill);
  if (target === undefined) return { origin: `the output of "${skillId}"` };
  const misfit = versionFault(target, version);
  if (misfit !== undefined) scope.fault(misfit);
  checkTarget(target, approved !== undefined || approval !== undefined, scope);
  checkInput(input, { skillId, schema: target.input && jsonSchemaOf(target.input) }, scope);
  const known = outputKnown(target);
  checkUndo(undo, scope, known);
  return fallback === undefined ? known : { origin: `${known.origin} or of its fallback` };
}

/** Checks the skill that a step runs. */
export function checkTarget({ id, description, effects }: SkillOptions, isApproved: boolean, scope: Scope): void {
  if (description.trim() === '')
    scope.fault(`the skill "${id}" has no description: callers cannot know when to call it`);
  if (effects === 'irreversible' && !isApproved) {
    scope.fault(`"${id}" cannot be undone: say with "approved" or "approval" what approves it, or why nothing has to`);
  }
}

/** Declared output of a skill: its contract; a text where it writes only text. */
export function outputKnown({ id, output, outputModes = ['text/plain'] }: SkillOptions): Known {
  const origin = `the output of "${id}"`;
  if (output !== undefined) return { schema: jsonSchemaOf(output), origin };
  return outputModes.every((mode) => mode.startsWith('text/')) ? { schema: { type: 'string' }, origin } : { origin };
}
