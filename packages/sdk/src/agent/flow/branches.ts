import { CallFailed, type CallResult } from '../../skill/calls/call.js';
import { SkillFailure } from '../../skill/skill.js';
import { outcomeOf } from './call-step.js';
import type { BranchWrites } from '../../skill/shared/reducer.js';
import {
  type AnyStep,
  type BareCall,
  below,
  BranchToken,
  type Facts,
  type Frame,
  kept,
  type Outcome,
  take,
} from '../step.js';

/** When a fan-out is settled. */
export interface FanOutOptions {
  /** Branches that run at once. Default 10. */
  readonly limit?: number;
  /**
   * `fail` (default): the first failure fails the whole. `collect`: all end, and failures are part of the result. `quorum`:
   * settled as soon as `quorum` branches have a result; the others are canceled.
   */
  readonly onFailure?: 'fail' | 'collect' | 'quorum';
  readonly quorum?: number;
}

/** One of the steps that run at the same time. */
export interface Branch {
  readonly name: string;
  readonly step: AnyStep;
  readonly facts?: Facts;
}

/** Outcome of a branch. */
export interface BranchEnd extends BranchWrites {
  readonly result: Outcome | SkillFailure;
}

const DEFAULT_LIMIT = 10;

/**
 * Runs branches, each with the values as they are at the fork. If all are single calls, they are one fan-out of the
 * engine, and the run is woken once. Throws the first failure with `fail`, and if a quorum cannot be reached.
 */
export function runBranches(
  frame: Frame,
  branches: readonly Branch[],
  options: FanOutOptions,
): Promise<readonly BranchEnd[]> {
  const forks = branches.map((branch) => ({ branch, frame: forked(frame, branch) }));
  const calls = forks.flatMap(({ branch: { step }, frame: fork }) =>
    step.bare === undefined ? [] : [{ bare: step.bare, step, fork }],
  );
  return calls.length === branches.length ? runCalls(frame, calls, options) : new Pool(forks, options).run();
}

/** Whether a branch has a result. */
export function isDone(end: BranchEnd): end is BranchEnd & { readonly result: Outcome } {
  return !(end.result instanceof SkillFailure);
}

interface Fork {
  readonly branch: Branch;
  readonly frame: Frame;
}

interface BranchCall {
  readonly bare: BareCall;
  readonly step: AnyStep;
  readonly fork: Frame;
}

/** The frame around the step of a branch. */
function forked(frame: Frame, { name, facts = {} }: Branch): Frame {
  return {
    ...frame,
    facts: { ...frame.facts, ...facts },
    values: frame.values.fork(),
    branch: below(frame, name).path,
    isResult: false,
    token: new BranchToken(frame.token),
  };
}

async function runCalls(
  { context }: Frame,
  calls: readonly BranchCall[],
  { limit = DEFAULT_LIMIT, onFailure = 'fail', quorum }: FanOutOptions,
): Promise<readonly BranchEnd[]> {
  const { all } = await context.map(
    calls,
    ({ bare: { skillId, input, options, undo }, fork }) => {
      const taken = undo?.(fork);
      const back = taken === undefined ? {} : { undo: taken };
      return context.call(skillId, input(fork), { key: fork.branch, ...options, ...back });
    },
    {
      limit,
      ...(onFailure === 'quorum' ? { quorum: quorum ?? calls.length } : { onFailure }),
    },
  );
  return calls.map(({ step, fork }, at) => {
    const result = resultOf(all[at]);
    if (!(result instanceof SkillFailure)) kept(step, fork, result);
    return { branch: fork.branch, written: fork.values.written, result };
  });
}

function resultOf(result: CallResult | CallFailed | undefined): Outcome | SkillFailure {
  if (result === undefined) return new SkillFailure('The branch has no result');
  return result instanceof CallFailed ? result : outcomeOf(result);
}

/** Branches of several steps: at most `limit` at once, until they are settled. */
class Pool {
  private readonly ends: (BranchEnd | undefined)[];
  private next = 0;
  private done = 0;
  private failed = 0;
  private settle: () => void = () => undefined;
  private fail: (error: unknown) => void = () => undefined;

  constructor(
    private readonly forks: readonly Fork[],
    private readonly options: FanOutOptions,
  ) {
    this.ends = forks.map(() => undefined);
  }

  async run(): Promise<readonly BranchEnd[]> {
    const settled = new Promise<void>((resolve, reject) => {
      this.settle = resolve;
      this.fail = reject;
    });
    if (this.forks.length === 0) return [];
    for (let at = 0; at < Math.min(this.options.limit ?? DEFAULT_LIMIT, this.forks.length); at += 1) this.begin();
    try {
      await settled;
    } finally {
      for (const { frame } of this.forks) frame.token.leave();
    }
    return this.forks.map(({ frame }, at) => {
      return this.ends[at] ?? { branch: frame.branch, written: new Map(), result: new SkillFailure('was left') };
    });
  }

  private begin(): void {
    const at = this.next;
    const fork = this.forks[at];
    if (fork === undefined || fork.frame.token.isLeft) return;
    this.next += 1;
    take(fork.branch.step, fork.frame, fork.branch.name).then(
      (outcome) => this.ended(at, outcome),
      (error: unknown) => this.ended(at, error),
    );
  }

  private ended(at: number, result: unknown): void {
    const frame = this.forks[at]?.frame;
    if (frame === undefined || frame.token.isLeft) return;
    const isFailure = result instanceof SkillFailure;
    // The end of the flow, and faults of the service, are no results of a branch.
    if (result instanceof Error && !isFailure) {
      this.fail(result);
      return;
    }
    this.ends[at] = {
      branch: frame.branch,
      written: isFailure ? new Map() : frame.values.written,
      result: result as Outcome | SkillFailure,
    };
    if (isFailure) this.failed += 1;
    else this.done += 1;
    this.decide(result);
    this.begin();
  }

  private decide(result: unknown): void {
    const { onFailure = 'fail', quorum = this.forks.length } = this.options;
    const mostFailed = { fail: 1, collect: Infinity, quorum: this.forks.length - quorum + 1 }[onFailure];
    if (this.failed >= mostFailed) this.fail(result);
    else if (this.done + this.failed === this.forks.length) this.settle();
    else if (onFailure === 'quorum' && this.done >= quorum) this.settle();
  }
}
