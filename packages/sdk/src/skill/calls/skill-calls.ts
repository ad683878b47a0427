import { turnContent, wholeParts } from '../content/turn-content.js';
import type { Ask } from '../questions/question.js';
import { assertOutsideSteps } from '../step-scope.js';
import { type Approvals, approved, type ApprovedMaker } from './approval.js';
import {
  type Approval,
  type Call,
  CallFailed,
  type CallGroup,
  type CallInput,
  type CallOptions,
  type CallOutcome,
  type CallResult,
  type CallSpec,
  type Fallback,
  type MapOptions,
  type MapResult,
  type SkillCalls,
} from './call.js';
import { fallbackCall } from './fallback.js';

/** Children of a fan-out that run at once. */
const DEFAULT_LIMIT = 10;

/** Makes the calls of a group; resolves with their outcomes, in their order, when the group is settled. */
export type GroupMaker = (group: CallGroup) => Promise<readonly CallOutcome[]>;

/**
 * The calls of one run of a turn. Their names follow from the order in which the skill makes them.
 * @param ask asks for the approval of calls
 */
export function skillCalls(makeGroup: GroupMaker, ask: Ask): SkillCalls {
  const make = approved(makeGroup, ask);
  let known: CallNames | undefined;
  // Most skills call no other.
  const names = (): CallNames => (known ??= new CallNames());
  const specOf = (skillId: string, input: CallInput, { key, ...rest }: CallOptions): CallSpec => ({
    ...{ skillId, input, key: names().next(skillId, key) },
    ...termsOf(rest),
  });
  return {
    call: <Output>(skillId: string, input: CallInput = '', { approval, fallback, ...options }: CallOptions = {}) =>
      new PendingCall<Output>(specOf(skillId, input, options), make, { approval, fallback }),
    transfer: <Output>(skillId: string, input: CallInput, options: CallOptions = {}) =>
      new PendingCall<Output>({ ...specOf(skillId, input, options), isTransfer: true }, make, {}),
    all: async <Output>(calls: readonly Call<Output>[]) => {
      const results = await fanOut<Output>(make, { kind: 'all', calls, needed: 0, mostFailed: 1, limit: 0 });
      return completed(results);
    },
    map: async <Item, Output>(
      items: readonly Item[],
      toCall: (item: Item, index: number) => Call<Output>,
      { limit = DEFAULT_LIMIT, onFailure = 'fail', quorum, key }: MapOptions<Item> = {},
    ) => {
      if (!(Number.isInteger(limit) && limit > 0)) throw new RangeError('The limit of a map is 1 at least');
      assertQuorum(quorum, items.length);
      const calls = items.map((item, index) => {
        const call = toCall(item, index);
        if (key !== undefined && call instanceof PendingCall) call.rename(names().named(key(item, index)));
        return call;
      });
      const mostFailed = quorum === undefined ? Number(onFailure === 'fail') : items.length - quorum + 1;
      const all = await fanOut<Output>(make, { kind: 'map', calls, needed: quorum ?? 0, mostFailed, limit });
      return mapResult(all, { onFailure, quorum });
    },
    first: async <Output>(calls: readonly Call<Output>[]) => {
      if (calls.length === 0) throw new RangeError('first() takes one call at least');
      return winnerOf(await fanOut<Output>(make, { kind: 'first', calls, needed: 1, mostFailed: 0, limit: 0 }));
    },
  };
}

function winnerOf<Output>(results: MapResult<Output>['all']): CallResult<Output> {
  const winner = results.find(isResult);
  if (winner === undefined) throw failureOf(results);
  return winner;
}

/** Results of the calls of a map. @throws CallFailed if fewer succeeded than required */
function mapResult<Output>(
  all: MapResult<Output>['all'],
  { onFailure, quorum }: { readonly onFailure: 'fail' | 'collect'; readonly quorum: number | undefined },
): MapResult<Output> {
  const done = quorum === undefined && onFailure === 'fail' ? completed(all) : all.filter(isResult);
  if (quorum !== undefined && done.length < quorum) throw failureOf(all);
  return { all, done, failed: all.filter((one) => one instanceof CallFailed) };
}

type CallTerms = Omit<CallOptions, 'key' | 'approval' | 'fallback'>;

/** Of a call, only its progress: its words in the journal stay as they are without. */
function termsOf({
  timeoutMs,
  detach,
  progress,
  history,
  version,
  undo,
  success = [],
  accepts = [],
}: CallTerms): Pick<CallSpec, keyof CallTerms> {
  assertOutsideSteps('call()');
  if (timeoutMs !== undefined && !(timeoutMs > 0)) throw new RangeError('The timeout of a call is 1 ms at least');
  return {
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(detach === true ? { detach } : {}),
    ...(success.length === 0 ? {} : { success }),
    ...(undo === undefined ? {} : { undo }),
    ...(progress === undefined || progress === 'status' ? {} : { progress }),
    ...(accepts.length === 0 ? {} : { accepts }),
    ...(history === undefined || history === 'none' ? {} : { history }),
    ...(version === undefined ? {} : { version }),
  };
}

function assertQuorum(quorum: number | undefined, count: number): void {
  if (quorum !== undefined && !(Number.isInteger(quorum) && quorum > 0 && quorum <= count)) {
    throw new RangeError(`The quorum of a map of ${String(count)} is a whole number from 1 to ${String(count)}`);
  }
}

interface FanOut<Output> extends Omit<CallGroup, 'calls'> {
  readonly calls: readonly Call<Output>[];
}

async function fanOut<Output>(
  make: ApprovedMaker,
  group: FanOut<Output>,
): Promise<readonly (CallResult<Output> | CallFailed)[]> {
  const approvals: Approvals = new Map();
  const specs = group.calls.map((call, at) => {
    if (!(call instanceof PendingCall)) throw new TypeError(`${group.kind}() takes what call() returns`);
    if (call.care.fallback !== undefined) throw new TypeError(`${group.kind}() takes no call with a fallback`);
    if (call.care.approval !== undefined) approvals.set(at, call.care.approval);
    return call.claim();
  });
  if (specs.length === 0) return [];
  const outcomes = await make({ ...group, calls: specs }, approvals);
  return specs.map((spec, at) => resultOf<Output>(spec, outcomes[at]));
}

function completed<Output>(results: readonly (CallResult<Output> | CallFailed)[]): readonly CallResult<Output>[] {
  const done = results.filter(isResult);
  if (done.length < results.length) throw failureOf(results);
  return done;
}

/** The first failure by itself: others may have been left because of it. */
function failureOf(results: readonly unknown[]): Error {
  const failures = results.filter((one) => one instanceof CallFailed);
  return failures.find(({ why }) => why !== 'left') ?? failures[0] ?? new RangeError('No call has failed');
}

function isResult<Output>(one: CallResult<Output> | CallFailed): one is CallResult<Output> {
  return !(one instanceof CallFailed);
}

/** Outcome of a call, for the skill that made it. */
export function resultOf<Output>(
  { skillId }: Pick<CallSpec, 'skillId'>,
  outcome: CallOutcome | undefined,
): CallResult<Output> | CallFailed {
  if (outcome === undefined || 'why' in outcome) {
    const { why = 'left', text = 'was left', taskId } = outcome ?? {};
    return new CallFailed(skillId, why, `The call of "${skillId}" has no result: ${text}`, taskId);
  }
  const { taskId, message } = outcome;
  const artifacts = outcome.artifacts.map((one) => ({ ...one, parts: wholeParts(one.parts) }));
  const parts = artifacts.length === 0 ? message : artifacts.flatMap((one) => one.parts);
  const { text, data } = turnContent([{ parts }]);
  // The contract of the child has checked it.
  return { taskId, skillId, output: data[0] as Output, text, data, artifacts };
}

/** Names of calls, unique in their turn. */
class CallNames {
  private readonly used = new Set<string>();
  private readonly counts = new Map<string, number>();

  next(skillId: string, key: string | undefined): string {
    if (key !== undefined) return this.named(key);
    const count = (this.counts.get(skillId) ?? 0) + 1;
    this.counts.set(skillId, count);
    return this.named(`${skillId}#${String(count)}`);
  }

  named(key: string): string {
    if (key === '' || key.length > MAX_KEY)
      throw new RangeError(`The key of a call has 1 to ${String(MAX_KEY)} characters`);
    if (this.used.has(key)) throw new RangeError(`Two calls of a turn have the key "${key}"`);
    this.used.add(key);
    return key;
  }
}

const MAX_KEY = 200;

/** A call that is made with the next turn of the microtask queue, unless a fan-out takes it before. */
class PendingCall<Output> implements Call<Output> {
  private isClaimed = false;
  private result: Promise<CallResult<Output>> | undefined;

  constructor(
    private spec: CallSpec,
    private readonly make: ApprovedMaker,
    readonly care: Care,
  ) {
    queueMicrotask(() => {
      // A skill may leave a call alone: its failure is no fault of the process.
      if (!this.isClaimed) this.begin().catch(() => undefined);
    });
  }

  get then(): Promise<CallResult<Output>>['then'] {
    const result = this.begin();
    return result.then.bind(result);
  }

  get catch(): Promise<CallResult<Output>>['catch'] {
    const result = this.begin();
    return result.catch.bind(result);
  }

  get finally(): Promise<CallResult<Output>>['finally'] {
    const result = this.begin();
    return result.finally.bind(result);
  }

  rename(key: string): void {
    this.spec = { ...this.spec, key };
  }

  /** Leaves the call to a fan-out. */
  claim(): CallSpec {
    if (this.isClaimed) throw new TypeError(`The call of "${this.spec.skillId}" has begun before its fan-out`);
    this.isClaimed = true;
    return this.spec;
  }

  private begin(): Promise<CallResult<Output>> {
    this.result ??= this.single(this.claim());
    return this.result;
  }

  private async single(spec: CallSpec): Promise<CallResult<Output>> {
    const { approval, fallback } = this.care;
    const result = await this.made(spec, new Map(approval === undefined ? [] : [[0, approval]]));
    if (!(result instanceof CallFailed)) return result;
    const other = fallback === undefined ? undefined : fallbackCall(spec, fallback, result);
    if (other === undefined) throw result;
    const instead = await this.made(other, new Map());
    if (instead instanceof CallFailed) throw instead;
    return { ...instead, insteadOf: result };
  }

  private async made(spec: CallSpec, approvals: Approvals): Promise<CallResult<Output> | CallFailed> {
    const group = { kind: 'call', calls: [spec], needed: 0, mostFailed: 0, limit: 0 } as const;
    const [outcome] = await this.make(group, approvals);
    return resultOf<Output>(spec, outcome);
  }
}

/** Options of a call besides its target and input. */
interface Care {
  readonly approval?: true | Approval | undefined;
  readonly fallback?: string | Fallback | undefined;
}
