import type { CallGroup, CallOutcome } from '../../skill/calls/call.js';
import type { Replay } from '../../skill/replay/replay.js';
import type { SharedTexts } from '../../skill/shared/numbered-writes.js';
import type { Reducers } from '../../skill/shared/reducer.js';
import { fleetingState } from '../../skill/shared/scoped-state.js';
import { TreeValues } from '../../skill/shared/tree-values.js';

/** The shared values of a turn under test, which are in a map of the test. */
export class TestShared {
  /** Of the skill under test. */
  reducers: Reducers = {};
  /** Those of the run that is under way. */
  values: TreeValues;
  ofTurn = fleetingState();
  private readonly began: SharedTexts;
  private readonly children = new Map<string, SharedTexts>();

  constructor(
    private readonly kept: Map<string, unknown>,
    replay: Replay,
  ) {
    this.began = textsOf(kept);
    this.values = this.begin(replay);
  }

  /** Begins a run: it makes its writes again. */
  begin(replay: Replay): TreeValues {
    this.ofTurn = fleetingState();
    const write = (texts: SharedTexts): Promise<void> => {
      for (const [name, text] of texts) this.kept.set(name, JSON.parse(text));
      return Promise.resolve();
    };
    this.values = new TreeValues({
      replay,
      reducers: this.reducers,
      before: () => Promise.resolve(this.began),
      write: (_number, texts) => write(texts),
      writtenBy: (taskId) => Promise.resolve(this.children.get(taskId) ?? new Map()),
    });
    return this.values;
  }

  /** Runs a child with the values that a call at this position sees, and keeps its writes if it completes. */
  async child(fork: number, run: (shared: Map<string, unknown>) => Promise<CallOutcome>): Promise<CallOutcome> {
    const before = await this.values.valuesAt(fork);
    const own = new Map<string, unknown>([...before].map(([name, text]) => [name, JSON.parse(text) as unknown]));
    const outcome = await run(own);
    const written = new Map([...textsOf(own)].filter(([name, text]) => before.get(name) !== text));
    if ('why' in outcome || written.size === 0) return outcome;
    this.children.set(outcome.taskId, written);
    return { ...outcome, wrote: true };
  }

  /** Takes over the writes of the children of a call. */
  async join(fork: number, { calls }: CallGroup, outcomes: readonly CallOutcome[]): Promise<void> {
    const branches = outcomes.flatMap((outcome, at) =>
      'wrote' in outcome ? [{ key: calls[at]?.key ?? '', taskId: outcome.taskId }] : [],
    );
    if (branches.length > 0) await this.values.join(fork, branches);
  }
}

function textsOf(values: ReadonlyMap<string, unknown>): SharedTexts {
  return new Map([...values].map(([name, value]) => [name, JSON.stringify(value ?? null)]));
}
