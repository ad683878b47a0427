import type { RunRedis } from '../../platform/redis/connection/connections.js';
import type { Message } from '@parley/protocol/model/message.js';
import { type ClaimedRun, type LateMessage, lateMessages } from './claimed-run.js';
import { ownedFields } from '../record/owned-fields.js';
import { type JournalEntry, stepField, type UndoEntry, undoFields } from '../record/journal-entries.js';
import type { RunFault } from '../record/run-fault.js';
import { faultField } from './run-log.js';
import { SharedValues } from '../values/shared-values.js';
import { sharedEntry, type SharedWrite } from '../values/shared-write.js';
import { accountsOf } from '../record/task-record.js';
import { OPEN_STATES } from '../record/task-rules.js';
import { shardOf, type TaskKeys } from '../task.keys.js';
import { journalLimits, type TaskOptions, ttlOf } from '../task.options.js';
import { FIELD } from '../task-fields.js';
import { TASK_SCRIPTS } from '../task.scripts.js';

/** The journal of a task has reached its maximum of entries or bytes: nothing was written. */
export class JournalFull extends Error {
  override readonly name = 'JournalFull';
}

interface NotedField {
  readonly hash: string;
  readonly name: string;
  readonly value: string;
}

/** The writes of runs besides their events: results of steps and other entries of the journal, and state of skills. */
export class RunNotebook {
  /** Values shared with trees. */
  readonly values: SharedValues;

  constructor(
    private readonly redis: RunRedis,
    private readonly keys: TaskKeys,
    private readonly options: TaskOptions,
  ) {
    this.values = new SharedValues(redis, keys);
  }

  /** Messages of the task after those of the turn. */
  async lateMessages(run: ClaimedRun): Promise<readonly LateMessage[]> {
    const { upto } = run.log.current;
    const said = await this.redis.lrange(this.keys.history(run.taskId), upto - 1, -1);
    return lateMessages(
      said.map((text) => JSON.parse(text) as Message),
      upto,
    );
  }

  /** Number of hints that the task has received. */
  async hints({ taskId }: ClaimedRun): Promise<number> {
    return Number(await this.redis.hget(this.keys.task(taskId), FIELD.hints));
  }

  readState({ taskId }: ClaimedRun, name: string): Promise<string | null> {
    return this.redis.hget(this.keys.state(taskId), name);
  }

  /** Stores the values shared by a call of the run; false when the run has lost the task. */
  writeShared(run: ClaimedRun, write: Omit<SharedWrite, 'seq'>, entries: readonly JournalEntry[]): Promise<boolean> {
    return run.log.inTurn(() => {
      const [name, value] = sharedEntry({ ...write, seq: run.log.current.seq });
      return this.noteNow(run, { hash: this.keys.shared(run.taskId), name, value }, entries);
    });
  }

  /** The names of artifacts put by a task for its tree. */
  async kept(taskId: string): Promise<readonly KeptName[]> {
    return (await this.redis.hkeys(this.keys.kept(taskId))).flatMap((field) => keptName(field) ?? []);
  }

  /** The parts of one, as JSON. */
  readKept(taskId: string, name: KeptName): Promise<string | null> {
    return this.redis.hget(this.keys.kept(taskId), keptField(name));
  }

  /** Stores parts for the tree; false when the run has lost the task. */
  writeKept(run: ClaimedRun, name: KeptName, json: string, entries: readonly JournalEntry[]): Promise<boolean> {
    return this.note(run, { hash: this.keys.kept(run.taskId), name: keptField(name), value: json }, entries);
  }

  /** Whether the task of a run has created another one. */
  async isChild({ taskId }: ClaimedRun, child: string): Promise<boolean> {
    return (await this.redis.hexists(this.keys.children(taskId), child)) === 1;
  }

  /** Whether a task is there and of this owner. */
  async owns(owner: string, id: string): Promise<boolean> {
    return (await ownedFields(this.redis, this.keys, { owner, id, fields: [FIELD.word] })) !== undefined;
  }

  readStep(run: ClaimedRun, name: string): Promise<string | null> {
    return this.redis.hget(this.keys.journal(run.taskId), stepField(run.turn, name));
  }

  /** The journal fields that undo finished work of the task, newest first. */
  async undoFields({ taskId }: ClaimedRun): Promise<readonly string[]> {
    return undoFields(await this.redis.hkeys(this.keys.journal(taskId)));
  }

  /** One of them. */
  async undoEntry({ taskId }: ClaimedRun, field: string): Promise<UndoEntry> {
    const text = await this.redis.hget(this.keys.journal(taskId), field);
    if (text === null) throw new Error(`The journal of task ${taskId} has no ${field}`);
    return JSON.parse(text) as UndoEntry;
  }

  /** Stores the result of a step, with further entries of the journal; false when the run has lost the task. */
  noteStep(run: ClaimedRun, name: string, json: string, entries: readonly JournalEntry[] = []): Promise<boolean> {
    return this.note(run, undefined, [[stepField(run.turn, name), json], ...entries]);
  }

  /** Stores entries of the journal; false when the run has lost the task. */
  noteEntries(run: ClaimedRun, entries: readonly JournalEntry[]): Promise<boolean> {
    return this.note(run, undefined, entries);
  }

  /** Stores a value of the skill's state, with entries of the journal; false when the run has lost the task. */
  writeState(run: ClaimedRun, name: string, json: string, entries: readonly JournalEntry[] = []): Promise<boolean> {
    return this.note(run, { hash: this.keys.state(run.taskId), name, value: json }, entries);
  }

  /** Records the span of this run, for links from later runs. */
  async noteSpan(run: ClaimedRun, traceparent: string): Promise<void> {
    await this.noteNow(run, { hash: this.keys.task(run.taskId), name: FIELD.span, value: traceparent }, []);
  }

  /** Records the error that failed the run, for operators. */
  async noteFault(run: ClaimedRun, fault: RunFault): Promise<void> {
    const field = { hash: this.keys.task(run.taskId), name: faultField(run.fence), value: JSON.stringify(fault) };
    await this.note(run, field, []);
  }

  /** Sets whether the loss of a suspect is charged: '<fence> <lifetime of its lost run, ms>', or '' once it is proven. */
  async noteSuspect(run: ClaimedRun, value: string): Promise<void> {
    await this.noteNow(run, { hash: this.keys.task(run.taskId), name: FIELD.suspect, value }, []);
  }

  /** @throws JournalFull */
  private note(run: ClaimedRun, field: NotedField | undefined, entries: readonly JournalEntry[]): Promise<boolean> {
    return run.log.inTurn(() => this.noteNow(run, field, entries));
  }

  private async noteNow(
    run: ClaimedRun,
    field: NotedField | undefined,
    entries: readonly JournalEntry[],
  ): Promise<boolean> {
    const task = this.keys.task(run.taskId);
    const keys = {
      ...{ task, hash: field?.hash ?? task, journal: this.keys.journal(run.taskId) },
      bytes: this.keys.bytes(shardOf(run.taskId)),
    };
    const reply = await TASK_SCRIPTS.setFields.run(this.redis, keys, {
      ...{ fence: run.fence, nonce: run.nonce, openStates: OPEN_STATES, ttl: ttlOf(this.options) },
      ...{ ...journalLimits(this.options, { isUndoing: run.ending !== undefined }), ...accountsOf(run.traits) },
      ...{ name: field?.name ?? '', value: field?.value ?? '', entries: entries.flat() },
    });
    const [verdict, attempt] = reply as [string, number?];
    if (verdict === 'FULL') throw new JournalFull();
    if (verdict !== 'OK') return false;
    if (attempt !== undefined) run.log.countFrom(attempt);
    return true;
  }
}

/** An artifact put by a task for its tree: name, version, and turn of the put. */
interface KeptName {
  readonly name: string;
  /** From 1. */
  readonly version: number;
  readonly turn: number;
}

function keptField({ name, version, turn }: KeptName): string {
  return `${String(version)}.${String(turn)}:${name}`;
}

/** Parses a field of the hash; undefined for another one. */
function keptName(field: string): KeptName | undefined {
  const [, version, turn, name] = /^(\d+)\.(\d+):(.+)$/s.exec(field) ?? [];
  return name === undefined ? undefined : { name, version: Number(version), turn: Number(turn) };
}
