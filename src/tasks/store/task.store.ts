import { Inject, Injectable } from '@nestjs/common';
import { Json, type JsonObject } from '@parley/protocol/model/json.js';
import type { Message } from '@parley/protocol/model/message.js';
import type { ProtocolVersion } from '@parley/protocol/model/protocol-version.js';
import type { Task } from '@parley/protocol/model/task.js';
import type { TaskState } from '@parley/protocol/model/task-state.js';
import { CommandRedis } from '../../platform/redis/connection/connections.js';
import { Replicas } from '../../platform/redis/replicas.js';
import { beginTask, type BeginningSlot } from './begin-arguments.js';
import type { ClaimedRun } from '../commit/claimed-run.js';
import type { JournalEntry } from '../record/journal-entries.js';
import { digestOfMessage, digestOfNew, type NewTask } from '../record/new-task.js';
import { beginningRun, newRecord } from './new-record.js';
import type { AskedMessage, BegunTask, KnownMessage, NextTurn } from './next-turn.js';
import { resuming, type TaskBasis } from './resume-arguments.js';
import { RedisClock } from '../../platform/redis/redis-clock.js';
import { isMarkOf, type ResumeOutcome, resumeOutcome, type ResumeReply } from './resume-outcome.js';
import { ServedPosition } from './served-position.js';
import type { ReadOptions, Snapshot } from '../record/snapshot.js';
import { stateWord } from '../record/state-word.js';
import { endingArguments, endingKeys, pathIn } from './task-ending.js';
import { ownedFields } from '../record/owned-fields.js';
import { TaskReader } from '../lists/task-reader.js';
import { type TaskRest, traitsOf } from '../record/task-record.js';
import { WAITING_STATES } from '../record/task-rules.js';
import {
  digestOfClientTask,
  isTaskId,
  newNonce,
  newTaskId,
  shardOf,
  shardOfDigest,
  taskIdOfDigest,
  TaskKeys,
} from '../task.keys.js';
import { TaskOptions, ttlOf } from '../task.options.js';
import { TASK_SCRIPTS } from '../task.scripts.js';
import { FIELD } from '../task-fields.js';

/** See lua/store/begun.lua. */
type BegunReply = readonly [
  traits: string,
  metadata: string | null,
  changed: string | null,
  questions: string | null,
  handedTo: string | null,
  contextId: string | null,
  word: string,
  rev: string | null,
  asking: number,
  messageId?: string | null,
  mark?: string | null,
  firstMark?: string | null,
];

/** A created task. */
export interface CreatedTask {
  readonly kind: 'created';
  readonly taskId: string;
  readonly seq: number;
  /** The run that waits in the fair queue; 0 when the task needs none. */
  readonly fence: number;
  /** Its position there; see lua/lib/queue/fair_queue.lua. */
  readonly position: number;
  readonly nonce: string;
  readonly task: Json<Task>;
  /** The run, if the caller has claimed it with the task. */
  readonly run?: ClaimedRun | undefined;
}

/** `sent`: the same message began this task before; `conflict`: its id belongs to another one, or seems to. */
export type CreateOutcome =
  CreatedTask | { readonly kind: 'sent'; readonly taskId: string } | { readonly kind: 'conflict' };

export type CancelOutcome =
  | { readonly kind: 'canceled' | 'requested'; readonly seq: number }
  | { readonly kind: 'terminal'; readonly state: TaskState }
  | { readonly kind: 'not-found' };

/**
 * The callers' side of task state: every method is one script, and sees only the tasks of the given owner. Changing
 * methods throw `NotReplicated` when the awaited replicas lack the write; the primary has it, and a repeat is safe.
 */
@Injectable()
export class TaskStore {
  private readonly keys: TaskKeys;
  private readonly reader: TaskReader;

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(TaskOptions) private readonly options: TaskOptions,
    private readonly replicas: Replicas,
    private readonly served: ServedPosition,
    private readonly clock: RedisClock,
  ) {
    this.keys = new TaskKeys(options.keyPrefix);
    this.reader = new TaskReader(redis, this.keys);
  }

  /**
   * The id of the task that a message begins, in the shard where a repeat of the message finds its mark, and the digest
   * that identifies a repeat.
   */
  newIdentity(owner: string, client: string, messageId: string): { readonly id: string; readonly digest: string } {
    const digest = digestOfMessage(owner, client, messageId);
    return { id: newTaskId(shardOfDigest(digest)), digest };
  }

  /** The id of a task named by a client of this owner, whether it exists or not (D01-01). */
  idOfClientTask(owner: string, clientTaskId: string): string {
    return taskIdOfDigest(digestOfClientTask(owner, clientTaskId));
  }

  /** The protocol version in which a task was created; undefined when it is missing or foreign (DISP-07). */
  async dialect(owner: string, id: string): Promise<ProtocolVersion | undefined> {
    const [rest] = (await ownedFields(this.redis, this.keys, { owner, id, fields: [FIELD.rest] })) ?? [];
    return typeof rest === 'string' ? (JSON.parse(rest) as TaskRest).dialect : undefined;
  }

  /**
   * The facts for checking a task's next message, and its record of that message; undefined when it is missing or
   * foreign.
   */
  async begun(owner: string, id: string, asked?: AskedMessage): Promise<BegunTask | undefined> {
    if (!isTaskId(id)) return undefined;
    const { messageId: sent = '', digest = '', isUnnamed = false } = asked ?? {};
    const keys = {
      ...{ task: this.keys.task(id), questions: this.keys.questions(id), messages: this.keys.messages(id) },
      sent: this.keys.sent(shardOf(id), digest),
    };
    const reply = await TASK_SCRIPTS.begun.run(this.redis, keys, {
      ...{ owner, messageId: sent, isOfContent: isUnnamed ? 1 : '', waitingStates: WAITING_STATES },
    });
    if (reply === null) return undefined;
    const [traits, first, later, questions, handedTo, contextId, word, rev, asking, ...known] =
      reply as unknown as BegunReply;
    const { skillId, tree } = traitsOf(traits);
    return {
      ...{ skillId, contextId: contextId ?? '', metadata: JSON.parse(later ?? first ?? '{}') as JsonObject },
      ...{ root: tree?.root ?? id, asks: asking === 1 || typeof questions === 'string' },
      ...(typeof handedTo === 'string' ? { handedTo } : {}),
      known: { ...knownMessage(id, known), seq: stateWord(word).seq, rev: Number(rev ?? 0) },
    };
  }

  /** The mark of a message that began a task: `<task id> <hash>`. @param digest from `digestOfNew` */
  async markOf(digest: string): Promise<string | undefined> {
    return (await this.redis.get(this.keys.sent(shardOfDigest(digest), digest))) ?? undefined;
  }

  /** The constant members of a task; undefined if it is missing or foreign. */
  async facts(owner: string, id: string): Promise<TaskBasis | undefined> {
    const fields = [FIELD.context, FIELD.traits];
    const [contextId, text] = (await ownedFields(this.redis, this.keys, { owner, id, fields })) ?? [];
    if (typeof text !== 'string') return undefined;
    const traits = traitsOf(text);
    return { contextId: contextId ?? '', skillId: traits.skillId, traits };
  }

  /**
   * Creates a task, or returns the one created before by the same message or client task id (A2A-SEND-14).
   * @param slot a slot in which the run begins at once, unless other runs wait
   */
  async create(input: NewTask, slot?: BeginningSlot): Promise<CreateOutcome> {
    const digest = digestOfNew(input);
    const record = newRecord(input, digest, newNonce(), this.clock.now());
    if (input.journal !== undefined && input.journal.length > 0) await this.prefill(input.id, input.journal);
    const sentAt = Date.now();
    const where = { keys: this.keys, options: this.options, served: this.served.latest };
    const reply = await beginTask(this.redis, where, { input, record, digest, slot });
    const [verdict, redisMsOrSent, position = 0, served] = reply as
      readonly ['CLAIMED' | 'CREATED', number, number?, number?] | readonly ['SENT', string];
    if (verdict === 'SENT') return this.sentBefore(redisMsOrSent, input.requestHash);
    this.clock.observe(redisMsOrSent, sentAt);
    this.served.observe(served);
    await this.confirm(input.id, { seq: 1 });
    return {
      kind: 'created',
      taskId: input.id,
      seq: 1,
      fence: record.word.fence,
      position,
      nonce: record.nonce,
      task: Json.ofText(record.task),
      run: verdict === 'CLAIMED' && slot !== undefined ? beginningRun(input, record, slot.channel) : undefined,
    };
  }

  /** Before the task exists, since its run may begin with it. */
  private async prefill(id: string, journal: readonly JournalEntry[]): Promise<void> {
    const args = { ttl: ttlOf(this.options), entries: journal.flat() };
    await TASK_SCRIPTS.prefill.run(this.redis, { journal: this.keys.journal(id) }, args);
  }

  /** The task may have been stored before without being replicated, which is why its message is repeated. */
  private async sentBefore(mark: string, requestHash: string): Promise<CreateOutcome> {
    if (!isMarkOf(requestHash, mark)) return { kind: 'conflict' };
    const [taskId = ''] = mark.split(' ');
    await this.confirm(taskId, { seq: 1 });
    return { kind: 'sent', taskId };
  }

  /** Adds a message to a task: it begins the next turn, answers questions, or waits for the end of the running turn. */
  async resume(
    owner: string,
    message: Message & { readonly taskId: string },
    requestHash: string,
    turn: NextTurn = {},
  ): Promise<ResumeOutcome> {
    const id = message.taskId;
    const facts = await this.facts(owner, id);
    if (facts === undefined) return { kind: 'not-found' };
    const nonce = newNonce();
    const reply = await this.notEarlier((ms) => {
      const where = { keys: this.keys, options: this.options, served: this.served.latest };
      const { keys, args } = resuming(where, { owner, facts, message, requestHash, turn, nonce, ms });
      return TASK_SCRIPTS.resume.run(this.redis, keys, args);
    });
    const outcome = resumeOutcome(reply as ResumeReply, requestHash);
    this.served.observe(outcome.kind === 'resumed' ? (reply as ResumeReply)[4] : undefined);
    if ('seq' in outcome) await this.confirm(id, outcome);
    return outcome;
  }

  /** Cancels a task: at once if no worker runs it, else by a cancel request to its worker (A2A-CANC-01, -07). */
  async cancel(owner: string, id: string): Promise<CancelOutcome> {
    const facts = await this.facts(owner, id);
    if (facts === undefined) return { kind: 'not-found' };
    const { contextId, traits } = facts;
    const path = traits.tree && pathIn(await this.redis.hget(this.keys.task(id), FIELD.rest));
    const about = { id, owner, traits, contextId, path, state: 'TASK_STATE_CANCELED' } as const;
    const nonce = newNonce();
    const reply = await this.notEarlier((ms) =>
      TASK_SCRIPTS.cancel.run(this.redis, endingKeys(this.keys, about), {
        ...endingArguments(this.keys, this.options, { ...about, ms, nonce, served: this.served.latest }),
        ...{ owner, graceMs: this.options.cancelGraceMs },
      }),
    );
    const [verdict, value, rev] = reply as readonly [string, (number | string)?, number?];
    if (verdict === 'NOT_FOUND') return { kind: 'not-found' };
    if (verdict === 'TERMINAL') return { kind: 'terminal', state: value as TaskState };
    const outcome = { kind: verdict === 'CANCELED' ? 'canceled' : 'requested', seq: value as number } as const;
    await this.confirm(id, { ...outcome, rev });
    return outcome;
  }

  /** The current task, with the number of its latest event; undefined if missing or foreign. */
  read(
    owner: string,
    id: string,
    options: ReadOptions & { readonly watchMs?: number } = {},
  ): Promise<Snapshot | undefined> {
    if (!isTaskId(id)) return Promise.resolve(undefined);
    return this.reader.read({ owner, id, ...options });
  }

  /** With `REDIS_WAIT_REPLICAS`, an accepted write survives the loss of the primary. */
  async confirm(
    id: string,
    { seq, rev = 0 }: { readonly seq: number; readonly rev?: number | undefined },
  ): Promise<void> {
    if (!this.replicas.areAsked) return;
    const asked = { key: this.keys.task(id), fields: [FIELD.word, FIELD.changes] };
    await this.replicas.confirm(
      this.keys.markOf(id),
      asked,
      ([word, stored]) => typeof word === 'string' && stateWord(word).seq >= seq && Number(stored ?? 0) >= rev,
    );
  }

  /** A status is never older than the one before it, even if the clock of this process is behind. */
  private async notEarlier(ask: (ms: number) => Promise<unknown>): Promise<unknown> {
    let reply = await ask(this.clock.now());
    while ((reply as readonly unknown[])[0] === 'EARLIER') reply = await ask(Number((reply as readonly unknown[])[1]));
    return reply;
  }
}

/** The mark of a message that began another task does not concern this one. */
function knownMessage(
  taskId: string,
  [messageId, mark, firstMark]: readonly (string | null | undefined)[],
): Omit<KnownMessage, 'seq' | 'rev'> {
  return {
    messageId: messageId ?? '',
    ...(typeof mark === 'string' ? { mark } : {}),
    ...(typeof firstMark === 'string' && firstMark.startsWith(`${taskId} `) ? { firstMark } : {}),
  };
}
