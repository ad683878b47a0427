import type { ClaimedRun } from './claimed-run.js';
import { isInterrupted } from '../protocol/task-state.js';
import type { CommitPlan, ListChange } from './commit-plan.js';
import { endLine } from './ended-task.js';
import type { JournalEntry } from './journal-entries.js';
import { askInTree, endInTree, notedKeys, progressInTree } from './commit-in-tree.js';
import { questionsText } from './open-question.js';
import type { RunProgress } from './run-progress.js';
import { runEnded, runField, runParked } from './run-log.js';
import { PARKED, wordText } from './state-word.js';
import { hasOwnList, indexOf, listedUnder, listsOf } from './task-lists.js';
import { accountsOf, memberOf, tenantName } from './task-record.js';
import { CHILD, HINT, type RunNotes, type Wait } from './wait.js';
import { type TaskKeys, shardName, shardOf } from './task.keys.js';
import { journalLimits, keptMs, type TaskOptions, ttlOf } from './task.options.js';
import { tenantScore } from './tenant-score.js';

/** Events that a log keeps; a reader further behind gets the current task. */
const MOST_EVENTS = 20_000;
/** Artifacts are the last KEYS of lua/lib/write.lua, from this number on. */
const FIRST_ARTIFACT_KEY = 18;
/** What is published goes there. */
const PUBLISHED_KEY = 17;

/** KEYS and ARGV of a script. */
export interface Arguments {
  readonly keys: readonly string[];
  readonly args: readonly (string | number)[];
}

interface Commit {
  readonly notes: RunNotes;
  readonly run: ClaimedRun;
  readonly progress: RunProgress;
  readonly plan: CommitPlan;
  /** Ms by Redis' clock. */
  readonly now: number;
}

/** In what commits and parks differ. */
interface Write {
  /** The word that follows. */
  readonly word: string;
  readonly goesOn: string;
  readonly dueIn: number;
  /** Of the task's keys, ms. */
  readonly ttl: number;
  /** The schedule that a task joins so: that of ended or of parked tasks. */
  readonly schedule: string;
  readonly fields: readonly string[];
  /** Further keys of the task. */
  readonly others: readonly string[];
  /** New entries of the journal. */
  readonly entries: readonly JournalEntry[];
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
    const { run, progress, plan } = commit;
    this.lists = listsOf(keys, run.taskId, listedUnder(run.owner, run.traits), run.contextId);
    this.before = `${progress.ms}:${run.taskId}`;
    this.after = `${plan.next.ms}:${run.taskId}`;
  }

  /** Of conclude.lua. */
  ofConclusion(): Arguments {
    const { keys, lists } = this;
    const { run, progress, plan, now } = this.commit;
    const { taskId, traits } = run;
    const { state } = plan.next;
    const shard = shardOf(taskId);
    const bytes = this.bytes();
    const isListed = hasOwnList(state);
    const hasMore = traits.isNamed || bytes[0] !== '' || isListed;
    const args = [
      ...[taskId, this.word(progress), this.word(plan.next), now + this.options.terminalTtlMs],
      ...[this.before, this.after, this.countOf(state), tenantScore(state, plan.next.ms)],
      ...[run.reply, endLine(run, plan)],
    ];
    // As at the begin: the usual end needs none of these.
    if (hasMore) args.push(5, traits.isNamed ? 1 : '', isListed ? 1 : '', ...bytes);
    else args.push(0);
    for (const field of this.fields()) args.push(field);
    if (plan.artifacts !== '' && plan.artifacts !== undefined) args.push('a', plan.artifacts);
    const names = [
      ...[keys.task(taskId), keys.due(shard), keys.over(shard), keys.counts(shard), lists.open, lists.ended],
      indexOf(keys, taskId, traits),
    ];
    if (hasMore) {
      names.push(lists.openOfContext, lists.endedOfContext, lists.ofState(state), keys.bytes(shard));
      names.push(lists.ofStateInContext(state));
    }
    return { keys: names, args };
  }

  /** Of commit.lua. @param note what the log of its parent gets of a child (lua/lib/notes.lua); '' for nothing */
  ofCommit(note: string): Arguments {
    const { plan, run, notes } = this.commit;
    return this.ofWrite({
      ...{ word: this.word(plan.next), goesOn: plan.sequel, dueIn: this.dueIn(), ttl: ttlOf(this.options), others: [] },
      schedule: this.keys.over(shardOf(run.taskId)),
      fields: plan.sequel === 'next' ? [...this.inbox(), ...this.base()] : this.base(),
      ...this.inTree(note),
      entries: plan.sequel === 'go' ? notes.entries : [],
    });
  }

  /** What else is written where the task is in a tree. */
  private inTree(note: string): Partial<Pick<Write, 'goesOn' | 'others' | 'fields'>> {
    const { run, plan, now } = this.commit;
    if (plan.sequel === 'ask') {
      const until = now + this.options.interruptedTtlMs;
      const asking = askInTree(this.keys, run, { next: plan.next, until, note });
      return { ...asking, fields: [...this.base(), ...asking.fields] };
    }
    const { sequel } = plan;
    if (sequel === 'go' || sequel === 'next') return progressInTree(this.keys, run, { sequel, note });
    return endInTree(this.keys, run, { sequel, note }, this.options);
  }

  /** Yields of the turn are counted from here, where events of the service are among them. */
  private base(): readonly string[] {
    const { run, progress, plan } = this.commit;
    if (!run.log.isKept || plan.next.base === progress.base) return [];
    return ['f', `${String(run.turn)} ${String(plan.next.base)}`];
  }

  /** Of park.lua. @param note as of a commit */
  ofPark({ until, signals, known, children, hints, asks }: Wait, note: string): Arguments {
    const { plan, run, now, notes } = this.commit;
    const { taskId, turn, fence, traits } = run;
    const root = traits.tree?.root ?? taskId;
    const awaited = [...signals, ...(children === undefined ? [] : [CHILD]), ...(hints === undefined ? [] : [HINT])];
    return this.ofWrite({
      word: wordText({ ...plan.next, fence: fence + 1, nonce: PARKED }),
      goesOn: [
        ...[Math.ceil(until), signals.length === 0 ? '-' : known, children?.settled ?? '-', asks?.answered ?? '-'],
        ...[root, hints ?? '-', ...(note === '' ? [] : [note])],
      ].join(' '),
      ...{ dueIn: 0, schedule: this.keys.parked(shardOf(taskId)), ttl: ttlOf(this.options) + Math.max(0, until - now) },
      fields: [
        ...[runField(fence), runParked(run.begun, now)],
        ...['f', `${String(turn)} ${String(plan.next.base)}`],
        ...(awaited.length === 0 ? [] : ['l', awaited.join(' ')]),
        ...(asks === undefined ? [] : ['qs', questionsText(asks.open), 'ch', '1']),
        // The state is that of a wait, and its turn goes on.
        ...(isInterrupted(plan.next.state) ? ['sh', '1'] : []),
      ],
      others: [
        ...this.keys.partsOf(taskId, plan.next.artifacts.length),
        ...[this.keys.notes(taskId), this.keys.questions(root), this.keys.asking(shardOf(root))],
        ...notedKeys(this.keys, run, note),
      ],
      entries: notes.entries,
    });
  }

  private ofWrite(how: Write): Arguments {
    const { run, progress, plan, notes } = this.commit;
    const { taskId, traits } = run;
    const shard = shardOf(taskId);
    const { open, ended, openOfContext, endedOfContext } = this.lists;
    const { next } = plan;
    const [queue, limited, turns] = this.keys.queuesOf(taskId);
    const moved = progress.state === next.state ? ['', ''] : [this.counted(progress), this.countOf(next.state)];
    const trimmed = this.trimmed();
    const names = next.artifacts.length > progress.artifacts.length ? ['n', JSON.stringify(next.artifacts)] : [];
    const fields = [...this.fields(), ...names, ...how.fields];
    const entries = how.entries.flat();
    return {
      keys: [
        ...[this.keys.task(taskId), this.keys.due(shard), this.keys.history(taskId), this.keys.states(taskId)],
        ...[this.keys.counts(shard), how.schedule, traits.isLimited ? limited : queue, turns],
        ...[this.keys.outbox(shard), this.keys.bytes(shard), open, ended, openOfContext, endedOfContext],
        ...[this.lists.ofState(next.state), this.keys.journal(taskId), this.keys.published(shard)],
        ...this.touched().map((number) => this.keys.artifact(taskId, number)),
        ...(plan.notes > 0 ? [this.keys.notes(taskId)] : []),
        ...how.others,
        ...this.movedLists(),
        indexOf(this.keys, taskId, traits),
      ],
      args: [
        ...[taskId, this.word(progress), how.word, how.goesOn, how.dueIn, `e${String(next.seq)}`, run.nonce],
        ...[this.before, this.after, traits.isNamed ? 1 : '', hasOwnList(next.state) ? 1 : '', Math.ceil(how.ttl)],
        ...[...moved, memberOf(taskId, traits), tenantName(traits.tenant), this.keys.hints, shardName(shard)],
        ...this.bytes(),
        ...[notes.read.length, ...journalLimits(this.options, { isUndoing: run.ending !== undefined })],
        ...[trimmed.length, ...trimmed, fields.length, ...fields, entries.length, ...entries],
        ...plan.lists.flatMap((change) => [change.how, this.keyNumber(change), change.value]),
        ...plan.published.texts.flatMap((text) => ['P', PUBLISHED_KEY, text]),
        // They wait no longer.
        ...(plan.notes > 0 ? ['T', FIRST_ARTIFACT_KEY + this.touched().length, plan.notes] : []),
      ],
    };
  }

  /** The lists by state, where the task changes its entry in them. */
  private movedLists(): readonly string[] {
    const { progress, plan } = this.commit;
    if (progress.state === plan.next.state && this.before === this.after) return [];
    return [this.lists.ofStateInContext(plan.next.state), ...this.lists.openByState];
  }

  /** The next turn begins with the first message that this one has not read; it may have read others behind it. */
  private inbox(): readonly string[] {
    const { plan, notes } = this.commit;
    const read = new Set(notes.read);
    let from = plan.next.upto;
    while (read.delete(from)) from += 1;
    const behind = read.size === 0 ? [] : ['sk', [...read].join(' ')];
    return ['q', `${String(from)} ${String(from)} 0`, ...behind];
  }

  private word(at: RunProgress): string {
    const { run, plan } = this.commit;
    const { state, seq, turn, attempt, last } = at;
    // The end of a turn releases the claim, and its fence is used up.
    const isLeft = at.isOver && at === plan.next;
    const [fence, nonce] = isLeft ? [run.fence + 1, ''] : [run.fence, run.nonce];
    return wordText({ state, seq, fence, nonce, turn, attempt, last });
  }

  private countOf(state: string): string {
    return `${this.commit.run.skillId || '-'} ${state}`;
  }

  /** Tasks in their first state are counted as what is left of all that have begun. */
  private counted({ state }: RunProgress): string {
    return state === 'TASK_STATE_SUBMITTED' ? '' : this.countOf(state);
  }

  private bytes(): readonly [bytes: number | '', ofTenant: string, ofClient: string] {
    const [ofTenant, ofClient] = accountsOf(this.commit.run.traits);
    return [ofTenant === '' ? '' : this.commit.plan.bytes, ofTenant, ofClient];
  }

  private fields(): readonly string[] {
    const { run, progress, plan } = this.commit;
    const fields: string[] = [];
    let { seq } = progress;
    for (const event of plan.events) fields.push(`e${String(++seq)}`, `${run.nonce} ${event}`);
    if (plan.status !== undefined) fields.push('t', `${plan.status.ms} ${plan.status.message}`);
    if (plan.published.last > 0) fields.push('pb', `${String(run.turn)} ${String(plan.published.last)}`);
    if (plan.sequel !== 'go') fields.push(runField(run.fence), runEnded(run.begun, plan));
    fields.push('z', String(plan.next.bytes));
    return fields;
  }

  private trimmed(): readonly string[] {
    const { progress, plan } = this.commit;
    const shown = isInterrupted(progress.state) ? ['sh'] : [];
    if (plan.next.seq <= MOST_EVENTS) return shown;
    const old = plan.events.flatMap((_event, at) => {
      const seq = progress.seq + 1 + at - MOST_EVENTS;
      return seq > 0 ? [`e${String(seq)}`] : [];
    });
    return [...shown, ...old];
  }

  private dueIn(): number {
    const { leaseMs, interruptedTtlMs, stuckTtlMs } = this.options;
    switch (this.commit.plan.sequel) {
      case 'go':
        return leaseMs;
      case 'ask':
        return interruptedTtlMs;
      case 'next':
        return stuckTtlMs;
      case 'end':
      case 'end?':
        return keptMs(this.options, this.commit.run.traits);
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
