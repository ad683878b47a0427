import { Inject, Injectable } from '@nestjs/common';
import type { Task } from '@parley/protocol/model/task.js';
import { isTerminal } from '@parley/protocol/model/task-state.js';
import { RunRedis } from '../../platform/redis/connection/connections.js';
import type { ClaimedRun } from '../commit/claimed-run.js';
import type { RunNotes } from '../commit/wait.js';
import type { BeginningSlot } from '../store/begin-arguments.js';
import { beginningRun, claimedFields, claimedWord, newRecord, type NewRecord } from '../store/new-record.js';
import type { NewTask } from '../record/new-task.js';
import { RedisClock } from '../../platform/redis/redis-clock.js';
import { JournalFull } from '../commit/run-notebook.js';
import { ServedPosition } from '../store/served-position.js';
import { wordText } from '../record/state-word.js';
import { listsOf, treeName } from '../record/task-lists.js';
import { TaskReader } from '../lists/task-reader.js';
import { accountsOf, memberOf, tenantName } from '../record/task-record.js';
import { OPEN_STATES } from '../record/task-rules.js';
import { digestOf, isTaskId, newNonce, shardOf, TaskKeys } from '../task.keys.js';
import { TaskStore } from '../store/task.store.js';
import { TreeBudget } from './tree-budget.js';
import { childTtlOf, journalLimits, TaskOptions, ttlOf } from '../task.options.js';
import { TASK_SCRIPTS } from '../task.scripts.js';
import { FIELD } from '../task-fields.js';

/** The children that one wait of a run awaits. */
export interface NewGroup {
  readonly name: string;
  /** Number of its children, including those of other calls of `spawn`. */
  readonly children: number;
  /** Refused calls: they count as failed. */
  readonly refused: number;
  /** Successes, and failures, that settle it before all have ended; 0 for none. */
  readonly needed: number;
  readonly mostFailed: number;
  /** Maximum concurrent children; 0 for all. */
  readonly limit: number;
}

/** A task created by a run: `tree` is set. */
export type NewChild = NewTask &
  Required<Pick<NewTask, 'tree'>> & {
    /** Whether it continues when its parent is canceled or ends. */
    readonly isDetached: boolean;
    /** Whether the conversation is handed over to it. */
    readonly isTransfer?: boolean;
  };

export interface Spawning {
  readonly groups: readonly NewGroup[];
  /** At most `MAX_SPAWNED`. */
  readonly children: readonly NewChild[];
  /** Slots in which children begin at once, unless other runs wait; by their ids. */
  readonly slots: ReadonlyMap<string, BeginningSlot>;
  readonly notes: RunNotes;
}

/** A child with its stored form. */
interface MadeChild {
  readonly child: NewChild;
  readonly record: NewRecord;
  readonly slot: BeginningSlot | undefined;
}

export type SpawnOutcome =
  | {
      readonly kind: 'spawned';
      readonly settled: number;
      /** Runs in the fair queues. */
      readonly runs: number;
      /** Runs claimed for the slots. */
      readonly begun: readonly ClaimedRun[];
    }
  | OverBudget
  | { readonly kind: 'cancel' | 'lost' };

/** The task or its tree would exceed its limit of children, tasks or levels: nothing was written. */
export interface OverBudget {
  readonly kind: 'too-many-children' | 'too-many-tasks' | 'too-deep' | 'too-many-transfers';
  readonly most: number;
}

/** The fan-outs of a task. */
export interface Groups {
  /** Number of settled ones. */
  readonly settled: number;
  /** The names of the settled ones among those asked for. */
  readonly over: ReadonlySet<string>;
  /** Progress of children that is not in the task's log yet: JSON of events, each returned once to this run. */
  readonly notes: readonly string[];
}

/** Notes read at once; at least the maximum of waiting ones (lua/lib/tree/notes.lua). */
const MAX_NOTES = 1_100;

/** Children created by one script. */
export const MAX_SPAWNED = 50;

type SpawnReply = readonly [
  verdict: 'OK' | 'CANCEL' | 'FULL' | 'CHILDREN' | 'TASKS' | 'DEPTH' | 'TRANSFERS' | 'GONE' | 'TERMINAL' | 'FENCED',
  attempt?: number,
  settled?: number,
  runs?: number,
  served?: number | null,
  begun?: readonly string[],
];

/** The tree of a task, as changed and read by its runs. */
@Injectable()
export class TreeStore {
  /** The tree's budget of language models. */
  readonly budget: TreeBudget;
  private readonly keys: TaskKeys;
  private readonly reader: TaskReader;

  constructor(
    @Inject(RunRedis) private readonly redis: RunRedis,
    @Inject(TaskOptions) private readonly options: TaskOptions,
    private readonly clock: RedisClock,
    private readonly served: ServedPosition,
    private readonly tasks: TaskStore,
  ) {
    this.keys = new TaskKeys(options.keyPrefix);
    this.reader = new TaskReader(redis, this.keys);
    this.budget = new TreeBudget(redis, this.keys, options, () => clock.now());
  }

  /**
   * Creates children, or finds existing ones, and stores the journal of the run with them. Safe to repeat.
   * @throws JournalFull
   */
  spawn(run: ClaimedRun, spawning: Spawning): Promise<SpawnOutcome> {
    return run.log.inTurn(async () => {
      const made = spawning.children.map((child) => this.made(child, spawning.slots.get(child.id)));
      const { keys, args } = this.argumentsOf(run, spawning, made);
      const reply = (await TASK_SCRIPTS.spawn.run(this.redis, keys, args)) as SpawnReply;
      const [verdict, attempt = 0, settled = 0, runs = 0, served, begun = []] = reply;
      switch (verdict) {
        case 'OK':
          run.log.countFrom(attempt);
          run.log.hasChildren = true;
          run.log.isKept = true;
          this.served.observe(served ?? undefined);
          return { kind: 'spawned', settled, runs, begun: made.flatMap((one) => beginningOf(one, begun)) };
        case 'FULL':
          throw new JournalFull();
        case 'CHILDREN':
          return { kind: 'too-many-children', most: attempt };
        case 'TASKS':
          return { kind: 'too-many-tasks', most: attempt };
        case 'DEPTH':
          return { kind: 'too-deep', most: attempt };
        case 'TRANSFERS':
          return { kind: 'too-many-transfers', most: attempt };
        case 'CANCEL':
          return { kind: 'cancel' };
        case 'GONE':
        case 'TERMINAL':
        case 'FENCED':
          return { kind: 'lost' };
      }
    });
  }

  /**
   * The settled ones of these fan-outs. The count was true before the rest was read: it is never ahead of it. Notes wait
   * until the commit that stores them: a run that dies before it loses none. No commit may be in progress meanwhile.
   */
  groups({ taskId, log }: ClaimedRun, names: readonly string[]): Promise<Groups> {
    return log.inTurn(async () => {
      const from = log.notesRead;
      const [count, texts, waiting] = await Promise.all([
        this.redis.hget(this.keys.task(taskId), FIELD.settledGroups),
        this.redis.hmget(this.keys.children(taskId), ...names.map((name) => `g:${name}`)),
        this.redis.lrange(this.keys.notes(taskId), from, from + MAX_NOTES - 1),
      ]);
      log.notesRead += waiting.length;
      const over = names.filter((_name, at) => texts[at]?.endsWith(' 1') === true);
      const notes = waiting.map((note) => note.slice(note.indexOf(' ') + 1));
      return { settled: Number(count ?? 0), over: new Set(over), notes };
    });
  }

  /** Cancels children that their parent no longer waits for. */
  async cancel({ owner }: ClaimedRun, ids: readonly string[]): Promise<void> {
    await Promise.all(ids.map((id) => this.tasks.cancel(owner, id)));
  }

  /** The present child; undefined when it is missing. */
  async child(id: string): Promise<Task | undefined> {
    return (await this.reader.read({ owner: '*', id, historyLength: 0 }))?.task.value;
  }

  /** An ended task of the run's owner; undefined for every other. */
  async ended({ owner }: ClaimedRun, id: string): Promise<Task | undefined> {
    const task = (await this.reader.read({ owner, id, historyLength: 0 }))?.task.value;
    return task !== undefined && isTerminal(task.status.state) ? task : undefined;
  }

  /** The present child with the time of its creation, and whether it has shared values with its tree. */
  async endOf(id: string): Promise<{ readonly task: Task | undefined; readonly hasShared: boolean }> {
    const child = this.reader.read({ owner: '*', id, historyLength: 0, created: true });
    const [found, writes] = await Promise.all([child, this.redis.hlen(this.keys.shared(id))]);
    return { task: found?.task.value, hasShared: writes > 0 };
  }

  /** Number of open children that would be canceled with their parent. */
  async openChildren({ taskId }: ClaimedRun): Promise<number> {
    const children = await this.redis.hgetall(this.keys.children(taskId));
    return Object.entries(children).filter(
      ([id, text]) => isTaskId(id) && text.endsWith(' -') && children[`d:${id}`] === undefined,
    ).length;
  }

  private argumentsOf(run: ClaimedRun, { groups, notes }: Spawning, made: readonly MadeChild[]) {
    const { taskId, traits, contextId } = run;
    const root = traits.tree?.root ?? taskId;
    const shard = shardOf(taskId);
    const lists = listsOf(this.keys, taskId, treeName(root), contextId);
    const { stuckTtlMs, mostChildren, mostTreeTasks, mostDepth, mostTransfers } = this.options;
    return {
      keys: {
        ...{ task: this.keys.task(taskId), journal: this.keys.journal(taskId), children: this.keys.children(taskId) },
        ...{ held: this.keys.held(taskId), tree: this.keys.tree(root), due: this.keys.due(shard) },
        ...{ ...this.keys.queuesOf(taskId), counts: this.keys.counts(shard), bytes: this.keys.bytes(shard) },
        ...{ open: lists.open, treeTasks: this.keys.ofTree(shard, root), trees: this.keys.trees(shard) },
        childTasks: made.map(({ child }) => this.keys.task(child.id)),
      },
      args: {
        ...{ fence: run.fence, nonce: run.nonce, openStates: OPEN_STATES, ttl: ttlOf(this.options) },
        ...{ ...journalLimits(this.options, { isUndoing: run.ending !== undefined }), ...accountsOf(traits) },
        replay: `${String(run.turn)} ${String(run.log.current.base)}`,
        ...{
          stuckMs: stuckTtlMs,
          leaseMs: this.options.leaseMs,
          childTtl: childTtlOf(this.options),
          tenant: tenantName(traits.tenant),
        },
        ...{ elsewhere: this.served.latest, maxChildren: mostChildren, maxTasks: mostTreeTasks },
        ...{ maxDepth: mostDepth, maxTransfers: mostTransfers, depth: (traits.tree?.depth ?? 0) + 1 },
        entries: notes.entries.flat(),
        groups: groups.map((group) => ({ name: group.name, text: groupText(group) })),
        newChildren: made.map(childArguments),
      },
    };
  }

  private made(child: NewChild, slot: BeginningSlot | undefined): MadeChild {
    const digest = digestOf(child.tree.parent, 'child', child.tree.key);
    return { child, record: newRecord(child, digest, newNonce(), this.clock.now()), slot };
  }
}

function childArguments({ child: { id, tree, isDetached, isTransfer }, record, slot }: MadeChild) {
  const { traits, word, entry, bytes } = record;
  return {
    ...{ id, group: tree.group, word: wordText(word), claimedWord: slot === undefined ? '' : claimedWord(record) },
    ...{ entry, member: memberOf(id, traits), count: `${traits.skillId} begun`, bytes },
    kind: isDetached ? 1 : isTransfer === true ? 'T' : '',
    fields: slot === undefined ? record.fields : [...record.fields, ...claimedFields(record, slot.channel)],
  };
}

function beginningOf({ child, record, slot }: MadeChild, begun: readonly string[]): readonly ClaimedRun[] {
  return slot !== undefined && begun.includes(child.id) ? [beginningRun(child, record, slot.channel)] : [];
}

function groupText({ children, refused, needed, mostFailed, limit }: NewGroup): string {
  return [children, 0, refused, needed, mostFailed, limit, 0, 0].join(' ');
}
