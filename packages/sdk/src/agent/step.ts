import type { Artifact } from '@parley/protocol/model/task.js';
import type { CallInput, CallOptions, Undo } from '../skill/calls/call.js';
import type { SkillEvent } from '../skill/events.js';
import type { SkillContext } from '../skill/skill.js';
import type { Known, Scope } from './check/scope.js';
import type { BranchValues, Values } from './flow/branch-values.js';

/** The result of a step. */
export interface Outcome {
  /** JSON for later steps: the output of a called skill, or its text if it has no output. */
  readonly value: unknown;
  /** Result for the caller if this is the last step. */
  readonly artifacts: readonly Artifact[];
}

/** Readable by a function of a flow, beside the values. */
export interface Facts {
  /** The value of the step before; undefined at the start of the flow. */
  readonly last?: unknown;
  /** Number of the round in the innermost loop, from 1. */
  readonly round?: number;
  /** Item of the innermost `map`, and its number from 0. */
  readonly item?: unknown;
  readonly index?: number;
  /** Why the call failed that this fallback replaces. */
  readonly failure?: string;
}

/** Says whether the fan-out of a branch is settled without it: the branch makes no further step then. */
export class BranchToken {
  private hasLeft = false;

  constructor(private readonly around?: BranchToken) {}

  get isLeft(): boolean {
    return this.hasLeft || this.around?.isLeft === true;
  }

  leave(): void {
    this.hasLeft = true;
  }
}

/** Where a step runs. */
export interface Frame {
  readonly context: SkillContext;
  readonly values: BranchValues;
  readonly facts: Facts;
  /** Names of the steps around it and its own, joined by `/`: the key of its call. */
  readonly path: string;
  /** Path of the parallel branch; '' outside of one. */
  readonly branch: string;
  readonly token: BranchToken;
  /** Whether the result of the step is that of the flow. */
  readonly isResult: boolean;
  /** Media types that the result of the step is wanted in: the caller's for the last step, any (empty) for those before it. */
  readonly accepts: readonly string[];
  readonly emit: (event: SkillEvent) => void;
}

/** A call that needs no more than its input: those of a fan-out are made together. */
export interface BareCall {
  readonly skillId: string;
  readonly input: (frame: Frame) => CallInput;
  /** Whether it declares its input. */
  readonly hasInput: boolean;
  readonly options: Pick<CallOptions, 'approval' | 'progress'>;
  readonly undo?: (frame: Frame) => Undo | undefined;
}

/** One step of a flow. `State` has the values that its functions read, by name. */
export interface Step<State extends object = Values> {
  /** Its part of the path. */
  readonly name: string;
  /** The name under which later steps find its value. */
  readonly as?: string;
  /** Only for the type: the values that the functions of the step read. */
  readonly reads?: (state: State) => void;
  readonly bare?: BareCall;
  readonly run: (frame: Frame) => Promise<Outcome>;
  /** Checks the step against the catalog, and returns the known shape of its value. */
  readonly check: (scope: Scope) => Known;
}

/** Any step, whatever its functions read. */
export type AnyStep = Step<never>;

/** The outcome of a step without a value: the one before it stays the last. */
export const NOTHING: Outcome = { value: undefined, artifacts: [] };

/** Thrown to end the flow at once, without its remaining steps. */
export class FlowEnd extends Error {
  override readonly name = 'FlowEnd';

  constructor(
    readonly how: 'completed' | 'rejected' | 'failed',
    readonly text: string,
    /** The result of the flow, where its end has one. */
    readonly outcome?: Outcome,
  ) {
    super(text);
  }
}

/** Thrown to end the innermost loop. */
export class LoopExit extends Error {
  override readonly name = 'LoopExit';

  constructor(/** The round's result so far. */ readonly outcome: Outcome = NOTHING) {
    super('The loop is left');
  }
}

/** Thrown in a branch whose fan-out is settled without it. */
class BranchLeft extends Error {
  override readonly name = 'BranchLeft';
}

/** Runs a step below another one, and keeps its value under its name. */
export async function take(step: AnyStep, frame: Frame, segment = step.as ?? step.name): Promise<Outcome> {
  if (frame.token.isLeft) throw new BranchLeft('The fan-out is settled without this branch');
  const outcome = await step.run(below(frame, segment));
  return kept(step, frame, outcome);
}

/** Keeps the value of a step under its name. */
export function kept(step: AnyStep, frame: Frame, outcome: Outcome): Outcome {
  if (step.as !== undefined) frame.values.set(step.as, outcome.value);
  return outcome;
}

/** The frame of a step inside of this one. */
export function below(frame: Frame, segment: string): Frame {
  return { ...frame, path: frame.path === '' ? segment : `${frame.path}/${segment}` };
}

/** The key of a call or step, unique in its turn. A flow of one step has no path: its name is enough. */
export function keyOf({ path }: Frame, name: string): string {
  return path === '' ? name : path;
}

/** Calls a function of a flow: the values have its declared types, ensured by start-up checks and contracts. */
export function asked<T>(question: (state: never, facts: Facts) => T, { values, facts }: Frame): T {
  return question(values.all as never, facts);
}

/** The named options of a step that has a name for its value. */
export function named(as: string | undefined): { readonly as?: string } {
  return as === undefined ? {} : { as };
}

/** Names for steps in a list: each is unique. */
export function segmentsOf(steps: readonly AnyStep[]): readonly string[] {
  const counts = new Map<string, number>();
  return steps.map(({ as, name }) => {
    const base = as ?? name;
    const count = (counts.get(base) ?? 0) + 1;
    counts.set(base, count);
    return count === 1 ? base : `${base}#${String(count)}`;
  });
}
