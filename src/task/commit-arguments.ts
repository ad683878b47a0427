import type { ClaimedRun } from './claimed-run.js';
import type { CommitPlan, ListChange } from './commit-plan.js';
import type { RunPosition } from './run-position.js';
import { runEnded, runField } from './run-log.js';
import { wordText } from './state-word.js';
import { hasOwnList, listsOf } from './task-lists.js';
import { accountsOf, memberOf, tenantName } from './task-record.js';
import { type TaskKeys, shardName, shardOf } from './task.keys.js';
import { type TaskOptions, ttlOf } from './task.options.js';

/** Events that a log keeps; a reader further behind gets the current task. */
const MOST_EVENTS = 20_000;
/** Artifacts are the last KEYS of commit.lua, from this number on. */
const FIRST_ARTIFACT_KEY = 16;

interface Arguments {
  readonly keys: readonly string[];
  readonly args: readonly (string | number)[];
}

interface Commit {
  readonly run: ClaimedRun;
  readonly position: RunPosition;
  readonly plan: CommitPlan;
  /** Ms by Redis' clock. */
  readonly now: number;
}

/** A commit in the form that the scripts take it: their KEYS and ARGV. */
export class CommitArguments {
  private readonly lists;
  private readonly before: string;
  private readonly after: string;

  constructor(
    private readonly keys: TaskKeys,
    private readonly options: TaskOptions,
    private readonly commit: Commit,
  ) {
    const { run, position, plan } = commit;
    this.lists = listsOf(keys, run.taskId, run.owner, run.contextId);
    this.before = `${position.ms}:${run.taskId}`;
    this.after = `${plan.next.ms}:${run.taskId}`;
  }

  /** Of conclude.lua. */
  ofConclusion(): Arguments {
    const { run, position, plan, now } = this.commit;
    const { taskId, traits } = run;
    const shard = shardOf(taskId);
    const { open, ended, openOfContext, endedOfContext, ofState, ofStateInContext } = this.lists;
    const { state } = plan.next;
    const made = plan.artifacts === '' || plan.artifacts === undefined ? [] : ['a', plan.artifacts];
    return {
      keys: [
        ...[this.keys.task(taskId), this.keys.due(shard), this.keys.over(shard), this.keys.counts(shard), open, ended],
        ...[openOfContext, endedOfContext, ofState(state), this.keys.bytes(shard)],
        ...[ofStateInContext(state), this.keys.ofTenant(shard, traits.tenant)],
      ],
      args: [
        ...[taskId, this.word(position), this.word(plan.next), now + this.options.terminalTtlMs],
        ...[this.before, this.after, this.countOf(state)],
        ...[traits.isNamed ? 1 : '', hasOwnList(state) ? 1 : '', run.reply],
        ...this.bytes(),
        ...this.fields(),
        ...made,
      ],
    };
  }

  /** Of commit.lua. */
  ofCommit(): Arguments {
    const { run, position, plan } = this.commit;
    const { taskId, traits } = run;
    const shard = shardOf(taskId);
    const { open, ended, openOfContext, endedOfContext } = this.lists;
    const { next, sequel } = plan;
    const [line, limited, turns] = this.keys.queuesOf(taskId);
    const moved = position.state === next.state ? ['', ''] : [this.counted(position), this.countOf(next.state)];
    const trimmed = this.trimmed();
    const names = next.artifacts.length > position.artifacts.length ? ['n', JSON.stringify(next.artifacts)] : [];
    const inbox = sequel === 'next' ? ['q', `${String(next.upto)} ${String(next.upto)} 0`] : [];
    const fields = [...this.fields(), ...names, ...inbox];
    return {
      keys: [
        ...[this.keys.task(taskId), this.keys.due(shard), this.keys.history(taskId), this.keys.states(taskId)],
        ...[this.keys.counts(shard), this.keys.over(shard), traits.isLimited ? limited : line, turns],
        ...[this.keys.outbox(shard), this.keys.bytes(shard), open, ended, openOfContext, endedOfContext],
        this.lists.ofState(next.state),
        ...this.touched().map((number) => this.keys.artifact(taskId, number)),
        ...this.movedLists(),
        this.keys.ofTenant(shard, traits.tenant),
      ],
      args: [
        ...[taskId, this.word(position), this.word(next), sequel, this.dueIn(), `e${String(next.seq)}`, run.nonce],
        ...[this.before, this.after, traits.isNamed ? 1 : '', hasOwnList(next.state) ? 1 : '', ttlOf(this.options)],
        ...[...moved, memberOf(taskId, traits), tenantName(traits.tenant), this.keys.hints, shardName(shard)],
        ...this.bytes(),
        ...[trimmed.length, ...trimmed, fields.length, ...fields],
        ...plan.lists.flatMap((change) => [change.how, this.keyNumber(change), change.value]),
      ],
    };
  }

  /** The lists by state, where the task changes its place in them. */
  private movedLists(): readonly string[] {
    const { position, plan } = this.commit;
    if (position.state === plan.next.state && this.before === this.after) return [];
    return [this.lists.ofStateInContext(plan.next.state), ...this.lists.openByState];
  }

  private word(at: RunPosition): string {
    const { run, plan } = this.commit;
    // The end of a turn releases the claim, and its fence is used up.
    const isLeft = at.isOver && at === plan.next;
    return wordText({ ...at, fence: isLeft ? run.fence + 1 : run.fence, nonce: isLeft ? '' : run.nonce });
  }

  private countOf(state: string): string {
    return `${this.commit.run.skillId || '-'} ${state}`;
  }

  /** Tasks in their first state are counted as what is left of all that have begun. */
  private counted({ state }: RunPosition): string {
    return state === 'TASK_STATE_SUBMITTED' ? '' : this.countOf(state);
  }

  private bytes(): readonly (string | number)[] {
    const accounts = accountsOf(this.commit.run.traits);
    return accounts[0] === '' ? ['', '', ''] : [this.commit.plan.bytes, ...accounts];
  }

  private fields(): readonly string[] {
    const { run, position, plan } = this.commit;
    const events = plan.events.flatMap((event, at) => [`e${String(position.seq + 1 + at)}`, `${run.nonce} ${event}`]);
    const status = plan.status === undefined ? [] : ['t', `${plan.status.ms} ${plan.status.message}`];
    const logged = plan.sequel === 'go' ? [] : [runField(run.fence), runEnded(run.begun, plan)];
    return [...events, ...status, ...logged, 'z', String(plan.next.bytes)];
  }

  private trimmed(): readonly string[] {
    const { position, plan } = this.commit;
    if (plan.next.seq <= MOST_EVENTS) return [];
    return plan.events.flatMap((_event, at) => {
      const seq = position.seq + 1 + at - MOST_EVENTS;
      return seq > 0 ? [`e${String(seq)}`] : [];
    });
  }

  private dueIn(): number {
    const { leaseMs, interruptedTtlMs, stuckTtlMs, terminalTtlMs } = this.options;
    switch (this.commit.plan.sequel) {
      case 'go':
        return leaseMs;
      case 'ask':
        return interruptedTtlMs;
      case 'next':
        return stuckTtlMs;
      case 'end':
      case 'end?':
        return terminalTtlMs;
    }
  }

  /** Numbers of the artifacts whose lists change, once each. */
  private touched(): readonly number[] {
    const numbers = this.commit.plan.lists.map(({ list }) => (typeof list === 'string' ? 0 : list.artifact));
    return [...new Set(numbers.filter((number) => number > 0))];
  }

  private keyNumber({ list }: ListChange): number {
    if (list === 'history') return 3;
    if (list === 'states') return 4;
    return FIRST_ARTIFACT_KEY + this.touched().indexOf(list.artifact);
  }
}
