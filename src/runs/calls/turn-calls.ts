import type { CallGroup, CallOutcome, CallSpec } from '@parley/sdk/skill/calls/call.js';
import { metOutcome } from '@parley/sdk/skill/calls/conditions.js';
import type { OpenWait } from '@parley/sdk/skill/replay/replay-host.js';
import type { Replay } from '@parley/sdk/skill/replay/replay.js';
import type { TreeValues } from '@parley/sdk/skill/shared/tree-values.js';
import type { LocalRuns } from '../local-runs.js';
import type { RunNotes } from '../../tasks/commit/run.store.js';
import { childIdOf, digestOf } from '../../tasks/task.keys.js';
import {
  MAX_SPAWNED,
  type NewChild,
  type OverBudget,
  type SpawnOutcome,
  type TreeStore,
} from '../../tasks/tree/tree.store.js';
import { type CallPlace, type ChildSources, openCall } from './new-child.js';
import { type EndedCall, timesOf } from './ended-call.js';
import { type ChildCall, isLost, LIMITED, type OpenCall, type OpenGroup, slotsFor, undoEntries } from './open-call.js';
import {
  branchesOf,
  isInJournal,
  outcomeOf,
  stored,
  type StoredOutcome,
  wordsOf,
} from '../../agents/tree/child-outcome.js';

/** A child that has not ended by then is none to wait for: longer waits are parked. */
const QUICK_MS = 50;

/** The stores and services for the calls of a run. */
export interface CallSources extends ChildSources {
  readonly trees: TreeStore;
  /** Reports that this many more runs wait in the fair queues. */
  readonly wake: (runs: number) => void;
  /** The slots of this process, in which children begin. */
  readonly local: Pick<LocalRuns, 'takeSlot'>;
  /** The clock of Redis, ms since 1970. */
  readonly now: () => number;
  /** Reports a call that ended in this run; not one that a repeated run reads from its journal. */
  readonly called: (call: EndedCall) => void;
}

/** The calling turn. */
export interface CallingTurn {
  readonly replay: Replay;
  /** The complete unsaved part of the journal. */
  unsavedWithHead(): { readonly notes: RunNotes; readonly saved: () => void };
  ended(how: 'cancel' | 'lost'): void;
  /** A wait has ended: the task is WORKING again. */
  resumed(): void;
  /** Appends progress of a child, a JSON event, to the task's log. */
  note(event: string): void;
  failed(error: unknown): void;
  /** The shared values of the turn, and the promise of their merge; undefined without shared values. */
  readonly shared: { readonly of: () => TreeValues; readonly settled: () => Promise<unknown> | undefined };
}

/** The calls of one run: spawns child tasks, collects their outcomes and resolves the skill's pending calls. */
export class TurnCalls {
  private readonly open = new Map<number, OpenGroup>();
  private fresh: { readonly number: number; readonly group: CallGroup }[] = [];
  private scheduled: NodeJS.Immediate | undefined;
  private spawned: Promise<void> | undefined;
  private endSpawning: () => void = () => undefined;
  /** Groups opened so far. */
  private opened = 0;
  private known = 0;
  private besideUntil = 0;

  constructor(
    private readonly sources: CallSources,
    private readonly turn: CallingTurn,
  ) {}

  /** Settled fan-outs of the task known to this run. */
  get settled(): number {
    return this.known;
  }

  /** Until when children that began in this process may soon end, ms since 1970. */
  get mayEndUntil(): number {
    return this.besideUntil;
  }

  /** Resolves with the outcomes of a group when it is settled. */
  async make(group: CallGroup): Promise<readonly CallOutcome[]> {
    const what = wordsOf(group.kind, group.calls, digestOf);
    const begin = (number: number): void => {
      this.fresh.push({ number, group });
      this.spawned ??= new Promise((resolve) => {
        this.endSpawning = resolve;
      });
      this.scheduled ??= setImmediate(this.spawnSoon);
    };
    const timeouts = group.calls.flatMap(({ timeoutMs }) => timeoutMs ?? []);
    const until = timeouts.length === 0 ? {} : { until: this.sources.now() + Math.min(...timeouts) };
    const recall = (json: string | undefined): unknown => this.recalled(JSON.parse(json ?? '[]') as StoredOutcome[]);
    const { replay, shared } = this.turn;
    const fork = replay.position;
    const wait = { what, isForChildren: true, ...until, begin };
    const outcomes = (await replay.wait(wait, recall)) as readonly CallOutcome[];
    const branches = branchesOf(group.calls, outcomes);
    if (branches.length > 0) await shared.of().join(fork, branches);
    return outcomes;
  }

  /** Resolves when the skill's calls are stored; undefined when there are none to store. */
  get spawning(): Promise<void> | undefined {
    return this.spawned;
  }

  /** Cancels children at their deadline: their groups settle as for any other cancel. */
  async expire(due: readonly OpenWait[]): Promise<void> {
    const { run, trees, now } = this.sources;
    for (const wait of due) {
      const { number } = wait;
      const children = (this.open.get(number)?.calls ?? []).flatMap((call) => ('child' in call ? [call] : []));
      const late = children.filter(({ until = Infinity }) => until <= now());
      const next = children.map(({ until = Infinity }) => until).filter((until) => until > now());
      wait.until = Math.min(...next, Infinity);
      await trees.cancel(
        run,
        late.map(({ child }) => child.id),
      );
    }
  }

  /** Finds settled groups and resolves their waits. Returns whether there are any. */
  async learn(): Promise<boolean> {
    if (this.open.size === 0) return false;
    const openedBefore = this.opened;
    const groups = [...this.open.values()];
    const { settled, over, notes } = await this.sources.trees.groups(
      this.sources.run,
      groups.map(({ group }) => group.name),
    );
    for (const note of notes) this.turn.note(note);
    const ended = groups.filter(({ group }) => over.has(group.name));
    for (const group of ended) await this.answer(group);
    // A group opened meanwhile may be settled already.
    if (this.opened !== openedBefore) return (await this.learn()) || ended.length > 0;
    this.known = settled;
    return ended.length > 0;
  }

  close(): void {
    clearImmediate(this.scheduled);
  }

  /** Calls of one turn of the event loop are spawned together. */
  private readonly spawnSoon = (): void => {
    this.scheduled = undefined;
    const { fresh } = this;
    this.fresh = [];
    const { endSpawning } = this;
    this.spawned = undefined;
    const work = this.spawnAll(fresh)
      .catch((error: unknown) => {
        this.turn.failed(error);
      })
      .finally(endSpawning);
    this.turn.replay.during(work);
  };

  private async spawnAll(fresh: readonly { readonly number: number; readonly group: CallGroup }[]): Promise<void> {
    // Values merged before the call must be visible to the children.
    await this.turn.shared.settled();
    const groups = await Promise.all(fresh.map(({ number, group }) => this.checked(number, group)));
    for (const group of groups) this.open.set(group.number, group);
    this.opened += groups.length;
    // A lost group spawns no child.
    for (const group of groups.filter(isLost)) await this.answer(group);
    // Calls of an earlier run may have ended already.
    if (this.sources.run.repeats !== undefined) await this.learn();
    const wanted = groups.filter(({ number }) => this.open.has(number));
    if (wanted.length > 0) await this.spawn(wanted);
  }

  private async spawn(groups: readonly OpenGroup[]): Promise<void> {
    const children = groups.flatMap(({ calls }) => calls.flatMap((call) => ('child' in call ? [call.child] : [])));
    for (let at = 0; at < children.length; at += MAX_SPAWNED) {
      const outcome = await this.spawnSome(groups, children.slice(at, at + MAX_SPAWNED));
      if ('most' in outcome) return this.overBudget(groups, outcome);
      if (outcome.kind !== 'spawned') {
        this.turn.ended(outcome.kind);
        return;
      }
      if (outcome.settled > this.known) await this.learn();
    }
  }

  private async spawnSome(groups: readonly OpenGroup[], children: readonly NewChild[]): Promise<SpawnOutcome> {
    const { notes, saved } = this.turn.unsavedWithHead();
    const undos = undoEntries(this.sources.run.turn, groups, children);
    const stored = { ...notes, entries: [...undos, ...notes.entries] };
    const slots = slotsFor(this.sources.local, groups, children);
    const spawning = { groups: groups.map(({ group }) => group), children, slots, notes: stored };
    try {
      const outcome = await this.sources.trees.spawn(this.sources.run, spawning);
      if (outcome.kind !== 'spawned') return outcome;
      if (undos.length > 0) this.sources.run.log.hasUndo = true;
      saved();
      if (outcome.begun.length > 0) this.besideUntil = Date.now() + QUICK_MS;
      for (const run of outcome.begun) slots.get(run.taskId)?.run(run);
      if (outcome.runs > 0) this.sources.wake(outcome.runs);
      return outcome;
    } finally {
      for (const slot of slots.values()) slot.release();
    }
  }

  /** One group beyond the budget must not cost the others their children. */
  private async overBudget(groups: readonly OpenGroup[], { kind, most }: OverBudget): Promise<void> {
    const [only] = groups;
    if (groups.length > 1 || only === undefined) {
      for (const group of groups) await this.spawn([group]);
      return;
    }
    const refusal = { why: 'budget', text: `${LIMITED[kind]} at most ${String(most)}: it was not made` } as const;
    await this.answer({ ...only, calls: only.calls.map(() => ({ refusal })) });
  }

  private async answer({ number, calls, skillIds }: OpenGroup): Promise<void> {
    if (!this.open.delete(number)) return;
    const outcomes = await Promise.all(calls.map((call, at) => this.outcomeOf(call, skillIds[at] ?? '')));
    const left = outcomes.flatMap((one) =>
      'why' in one && one.why === 'left' && one.taskId !== undefined ? [one.taskId] : [],
    );
    if (left.length > 0) await this.sources.trees.cancel(this.sources.run, left);
    this.turn.resumed();
    this.turn.replay.give(number, { value: outcomes, json: JSON.stringify(stored(outcomes)) });
  }

  private async outcomeOf(call: OpenCall, skillId: string): Promise<CallOutcome> {
    if ('refusal' in call) {
      this.sources.called({ skillId, outcome: call.refusal.why });
      return call.refusal;
    }
    const { id } = call.child;
    const { task, hasShared } = await this.sources.trees.endOf(id);
    const ended = this.ended(call, task && outcomeOf(task, hasShared));
    const outcome = call.terms === undefined ? ended : metOutcome(ended, call.terms.skill, call.terms.success);
    this.sources.called({
      ...{ skillId, childId: id, outcome: 'why' in outcome ? outcome.why : 'completed' },
      ...timesOf(task),
    });
    return outcome;
  }

  private ended({ child: { id }, until }: ChildCall, outcome: CallOutcome | undefined): CallOutcome {
    if (
      outcome !== undefined &&
      'why' in outcome &&
      outcome.why === 'canceled' &&
      this.sources.now() >= (until ?? Infinity)
    ) {
      return { why: 'deadline', text: 'it took longer than its call allows, and was canceled', taskId: id };
    }
    return outcome ?? { why: 'left', text: 'its fan-out was over before', taskId: id };
  }

  /** A large outcome is read from its child again. */
  private recalled(outcomes: readonly StoredOutcome[]): readonly CallOutcome[] | Promise<readonly CallOutcome[]> {
    const inJournal = outcomes.filter(isInJournal);
    if (inJournal.length === outcomes.length) return inJournal;
    return Promise.all(
      outcomes.map(async (outcome) => {
        if (isInJournal(outcome)) return outcome;
        const { task, hasShared } = await this.sources.trees.endOf(outcome.taskId);
        const read = task && outcomeOf(task, hasShared);
        if (read === undefined) throw new Error(`The result of child ${outcome.taskId} is gone`);
        return read;
      }),
    );
  }

  private async checked(number: number, { calls, needed, mostFailed, limit }: CallGroup): Promise<OpenGroup> {
    const name = `${String(this.sources.run.turn)}.${String(number)}`;
    const first = this.turn.replay.journal.call(number)?.until;
    const shortest = Math.min(...calls.flatMap(({ timeoutMs }) => timeoutMs ?? []), Infinity);
    const untilOf = ({ timeoutMs }: CallSpec): number | undefined =>
      timeoutMs === undefined || first === undefined ? undefined : first - shortest + timeoutMs;
    const open = await Promise.all(calls.map((call) => this.openOrFound(call, { group: name, until: untilOf(call) })));
    const children = open.filter((call) => 'child' in call).length;
    const group = { name, children, refused: open.length - children, needed, mostFailed, limit };
    return { number, group, calls: open, skillIds: calls.map(({ skillId }) => skillId) };
  }

  private async openOrFound(call: CallSpec, place: CallPlace): Promise<OpenCall> {
    const opened = await openCall(this.sources, call, place);
    const { run, trees } = this.sources;
    if ('child' in opened || run.repeats === undefined) return opened;
    const child = await trees.child(childIdOf(run.taskId, run.turn, call.key));
    return child === undefined ? opened : openCall(this.sources, call, { ...place, isStored: true });
  }
}
