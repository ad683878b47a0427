import type { InputOf } from '../../platform/redis/script/redis-script.js';
import { eventField, FIELD } from '../task-fields.js';
import type { TASK_SCRIPTS } from '../task.scripts.js';
import type { ClaimedRun } from './claimed-run.js';
import { isInterrupted } from '@parley/protocol/model/task-state.js';
import type { CommitPlan } from './commit-plan.js';
import { listChanges } from './list-changes.js';
import type { JournalEntry } from '../record/journal-entries.js';
import { commitInTree, parentKeys } from './commit-in-tree.js';
import { fieldsOfQuestion, questionsText } from '../record/open-question.js';
import type { RunProgress } from './run-progress.js';
import { runEnded, runField, runParked } from './run-log.js';
import { PARKED, wordText } from '../record/state-word.js';
import { hasOwnList, indexOf, listedUnder, listsOf } from '../record/task-lists.js';
import { type Accounts, accountsOf, memberOf, tenantName } from '../record/task-record.js';
import { CHILD, HINT, type RunNotes, type Wait } from './wait.js';
import { type TaskKeys, shardName, shardOf } from '../task.keys.js';
import { journalLimits, keptMs, type TaskOptions, ttlOf } from '../task.options.js';

/** Events kept in a log; a reader further behind gets the current task. */
const MAX_EVENTS = 20_000;

type Commit = typeof TASK_SCRIPTS.commit;
type Park = typeof TASK_SCRIPTS.park;

interface Committed {
  readonly notes: RunNotes;
  readonly run: ClaimedRun;
  readonly progress: RunProgress;
  readonly plan: CommitPlan;
  /** Ms by Redis' clock. */
  readonly now: number;
}

/** The differences of commits and parks. */
interface Write {
  /** The resulting state word. */
  readonly word: string;
  readonly fields: readonly string[];
  /** New entries of the journal. */
  readonly entries: readonly JournalEntry[];
  /** Whether it is the only commit of its task: the fields then replace its lists. */
  readonly isAlone?: boolean;
}

const NO_CHANGES = { lists: [], changes: [] } as const;

/** A commit as input of the scripts. */
export class CommitArguments {
  private readonly lists;
  private readonly before: string;
  private readonly after: string;

  constructor(
    private readonly keys: TaskKeys,
    private readonly options: TaskOptions,
    private readonly commit: Committed,
  ) {
    const { run, progress, plan } = commit;
    this.lists = listsOf(keys, run.taskId, listedUnder(run.owner, run.traits), run.contextId);
    this.before = `${progress.ms}:${run.taskId}`;
    this.after = `${plan.next.ms}:${run.taskId}`;
  }

  /**
   * Input of commit.lua. @param note note of a child for the log of its parent (lua/lib/tree/notes.lua); '' for none
   */
  ofCommit(note: string): InputOf<Commit> {
    const { plan, run, notes, now } = this.commit;
    const { sequel, artifacts, next } = plan;
    const { taskId, traits } = run;
    const isAlone = this.endsAlone();
    const isAsked = sequel === 'ask' && traits.tree !== undefined;
    const asked = isAsked ? fieldsOfQuestion(run, next, now + this.options.interruptedTtlMs) : [];
    const joined = isAlone && artifacts !== '' && artifacts !== undefined ? [FIELD.artifacts, artifacts] : [];
    const { keys, args } = this.written({
      word: this.word(next),
      fields: [...(sequel === 'next' ? this.inbox() : []), ...this.base(), ...asked, ...joined],
      entries: sequel === 'go' ? notes.entries : notes.entries.slice(0, notes.steps ?? 0),
      isAlone,
    });
    const inTree = commitInTree(this.keys, run, { sequel, note }, this.options);
    const [more, general] = [this.more(isAlone), isAlone ? undefined : this.general()];
    return {
      keys: {
        ...{ ...keys, over: this.keys.over(shardOf(taskId)), ended: this.lists.ended, ...inTree.keys },
        ...{ moved: isAlone ? undefined : this.movedLists(), more: more?.keys, general: general?.keys },
      },
      args: {
        ...{ ...args, sequel, eventField: eventField(next.seq), dueIn: this.dueIn(), readLate: notes.read.length },
        ...{ ...inTree.args, more: more?.args, general: general?.args },
      },
    };
  }

  /** The optional arguments; the usual end needs none of them. */
  private more(isAlone: boolean) {
    const { plan, run } = this.commit;
    const { state } = plan.next;
    const [isListed, bytes] = [hasOwnList(state), this.bytes()];
    if (isAlone && !run.traits.isNamed && bytes.size === '' && !isListed) return undefined;
    const { openOfContext, endedOfContext } = this.lists;
    return {
      keys: {
        ...{ openOfContext, endedOfContext, ofState: this.lists.ofState(state) },
        ...{ ofStateInContext: this.lists.ofStateInContext(state), bytes: this.keys.bytes(shardOf(run.taskId)) },
      },
      args: { isNamed: run.traits.isNamed ? 1 : '', isListed: isListed ? 1 : '', ...bytes },
    };
  }

  private general() {
    const { taskId, traits } = this.commit.run;
    const { queue, limitedQueue, turns } = this.keys.queuesOf(taskId);
    return {
      keys: { journal: this.keys.journal(taskId), ownQueue: traits.isLimited ? limitedQueue : queue, turns },
      args: {
        ...{ ttl: Math.ceil(ttlOf(this.options)), ...this.journalLimits() },
        ...{ member: memberOf(taskId, traits), tenant: tenantName(traits.tenant) },
      },
    };
  }

  /** Whether this is the usual life of a task: its only commit ends it, and affects no other task. */
  private endsAlone(): boolean {
    const { plan, run } = this.commit;
    const { artifacts, published, notes } = plan;
    return (
      (this.commit.notes.steps ?? 0) === 0 &&
      artifacts !== undefined &&
      run.traits.tree === undefined &&
      !run.log.hasChildren &&
      published.last === 0 &&
      notes === 0
    );
  }

  /** The start for counting the turn's yields when events of the service precede them. */
  private base(): readonly string[] {
    const { run, progress, plan } = this.commit;
    if (!run.log.isKept || plan.next.base === progress.base) return [];
    return [FIELD.replay, `${String(run.turn)} ${String(plan.next.base)}`];
  }

  /** Input of park.lua. @param note as for a commit */
  ofPark({ until, signals, known, children, hints, asks }: Wait, note: string): InputOf<Park> {
    const { plan, run, now, notes } = this.commit;
    const { taskId, turn, fence, traits } = run;
    const root = traits.tree?.root ?? taskId;
    const awaited = [...signals, ...(children === undefined ? [] : [CHILD]), ...(hints === undefined ? [] : [HINT])];
    const { keys, args } = this.written({
      word: wordText({ ...plan.next, fence: fence + 1, nonce: PARKED }),
      fields: [
        ...[runField(fence), runParked(run.begun, now)],
        ...[FIELD.replay, `${String(turn)} ${String(plan.next.base)}`],
        ...(awaited.length === 0 ? [] : [FIELD.signals, awaited.join(' ')]),
        ...(asks === undefined ? [] : [FIELD.questions, questionsText(asks.open), FIELD.hasChildren, '1']),
        // The state is that of a wait, and its turn continues.
        ...(isInterrupted(plan.next.state) ? [FIELD.isShown, '1'] : []),
      ],
      entries: notes.entries,
    });
    const parent = note === '' ? undefined : traits.tree?.parent;
    return {
      keys: {
        ...{ ...keys, openOfContext: this.lists.openOfContext, bytes: this.keys.bytes(shardOf(taskId)) },
        ...{ journal: this.keys.journal(taskId), moved: this.movedLists() },
        ...{ parked: this.keys.parked(shardOf(taskId)), notes: this.keys.notes(taskId) },
        ...{ questions: this.keys.questions(root), asking: this.keys.asking(shardOf(root)) },
        parts: this.keys.partsOf(taskId, plan.next.artifacts.length),
        parent: parent === undefined ? undefined : parentKeys(this.keys, parent),
      },
      args: {
        ...{ ...args, isNamed: traits.isNamed ? 1 : '', ...this.bytes(), ...this.journalLimits() },
        ...{ ttl: Math.ceil(ttlOf(this.options) + Math.max(0, until - now)), till: Math.ceil(until) },
        ...{ knownLate: signals.length === 0 ? '-' : known },
        ...{ knownSettled: children?.settled ?? '-', knownAnswered: asks?.answered ?? '-', knownHints: hints ?? '-' },
        ...{ root, parent: parent === undefined ? undefined : { note } },
      },
    };
  }

  private written({ word, fields, entries, isAlone = false }: Write) {
    const { run, progress, plan } = this.commit;
    const { taskId, traits } = run;
    const shard = shardOf(taskId);
    const { next } = plan;
    const hasMoved = progress.state !== next.state;
    const names = !isAlone && next.artifacts.length > progress.artifacts.length;
    const { lists, changes } = isAlone ? NO_CHANGES : listChanges(this.keys, taskId, plan);
    return {
      keys: {
        ...{ task: this.keys.task(taskId), due: this.keys.due(shard), counts: this.keys.counts(shard) },
        ...{ outbox: this.keys.outbox(shard), open: this.lists.open, tenantTasks: indexOf(this.keys, taskId, traits) },
        lists,
      },
      args: {
        ...{ id: taskId, seenWord: this.word(progress), word, nonce: run.nonce },
        ...{ entryBefore: this.before, entry: this.after },
        countBefore: hasMoved ? this.counted(progress) : '',
        countAfter: hasMoved ? this.countOf(next.state) : '',
        ...{ hints: this.keys.hints, shard: shardName(shard) },
        removed: this.trimmed(),
        fields: [...this.fields(), ...(names ? [FIELD.artifactNames, JSON.stringify(next.artifacts)] : []), ...fields],
        ...{ entries: entries.flat(), changes },
      },
    };
  }

  private journalLimits() {
    return journalLimits(this.options, { isUndoing: this.commit.run.ending !== undefined });
  }

  /** The lists by state in which the task's entry changes. */
  private movedLists() {
    const { progress, plan } = this.commit;
    return progress.state === plan.next.state && this.before === this.after ? undefined : this.lists.openByState;
  }

  /** The next turn begins with the first unread message; this turn may have read later ones. */
  private inbox(): readonly string[] {
    const { plan, notes } = this.commit;
    const read = new Set(notes.read);
    let from = plan.next.upto;
    while (read.delete(from)) from += 1;
    const behind = read.size === 0 ? [] : [FIELD.readAhead, [...read].join(' ')];
    return [FIELD.inbox, `${String(from)} ${String(from)} 0`, ...behind];
  }

  private word(at: RunProgress): string {
    const { run, plan } = this.commit;
    const { state, seq, turn, attempt, last } = at;
    // The end of a turn releases the claim, and its fence is used up.
    const isLeft = at.hasEnded && at === plan.next;
    const [fence, nonce] = isLeft ? [run.fence + 1, ''] : [run.fence, run.nonce];
    return wordText({ state, seq, fence, nonce, turn, attempt, last });
  }

  private countOf(state: string): string {
    return `${this.commit.run.skillId || '-'} ${state}`;
  }

  /** Tasks in their first state are not counted themselves: they are the difference to all begun. */
  private counted({ state }: RunProgress): string {
    return state === 'TASK_STATE_SUBMITTED' ? '' : this.countOf(state);
  }

  private bytes(): Accounts & { readonly size: number | '' } {
    const accounts = accountsOf(this.commit.run.traits);
    return { size: accounts.tenantAccount === '' ? '' : this.commit.plan.bytes, ...accounts };
  }

  private fields(): string[] {
    const { run, progress, plan } = this.commit;
    const fields: string[] = [];
    let { seq } = progress;
    for (const event of plan.events) fields.push(eventField(++seq), `${run.nonce} ${event}`);
    if (plan.status !== undefined) fields.push(FIELD.status, `${plan.status.ms} ${plan.status.message}`);
    if (plan.published.last > 0) fields.push(FIELD.published, `${String(run.turn)} ${String(plan.published.last)}`);
    if (plan.sequel !== 'go') fields.push(runField(run.fence), runEnded(run.begun, plan));
    fields.push(FIELD.resultBytes, String(plan.next.bytes));
    return fields;
  }

  private trimmed(): readonly string[] {
    const { progress, plan } = this.commit;
    const shown = isInterrupted(progress.state) ? [FIELD.isShown] : [];
    if (plan.next.seq <= MAX_EVENTS) return shown;
    const old = plan.events.flatMap((_event, at) => {
      const seq = progress.seq + 1 + at - MAX_EVENTS;
      return seq > 0 ? [eventField(seq)] : [];
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
}
