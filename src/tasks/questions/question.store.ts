import { Inject, Injectable } from '@nestjs/common';
import { CommandRedis } from '../../platform/redis/connection/connections.js';
import type { OpenQuestion } from '@parley/protocol/extension/questions.js';
import { isInterrupted, isTerminal, type TaskState } from '@parley/protocol/model/task-state.js';
import type { Message } from '@parley/protocol/model/message.js';
import { CHILD } from '../commit/wait.js';
import { openQuestions, questionsText } from '../record/open-question.js';
import { RedisClock, redisNow } from '../../platform/redis/redis-clock.js';
import { PARKED, type StateWord, stateWord } from '../record/state-word.js';
import { statusEventHead, statusEventTail, statusText } from '../record/task-json.js';
import { indexOf, listedUnder, listsOf } from '../record/task-lists.js';
import { accountsOf, traitsOf } from '../record/task-record.js';
import { ALL_SHARDS, newNonce, shardName, shardOf, TaskKeys } from '../task.keys.js';
import { TaskOptions, ttlOf } from '../task.options.js';
import { TASK_SCRIPTS } from '../task.scripts.js';
import { FIELD } from '../task-fields.js';

/** Maximum tasks with open questions read per tree. */
const MAX_ASKING = 1_000;
/** Open tasks of a tree read to determine whether any can continue. */
const MAX_READ = 64;
/** SUBMITTED and WORKING in the index of a tree (lua/lib/record/rank.lua). */
const [BEGUN_FROM, BEGUN_TO] = ['100000000000000', '300000000000000'];

/** The open questions of one task. */
export interface AskingTask {
  readonly taskId: string;
  /** In the form of its record. */
  readonly text: string;
  readonly questions: readonly OpenQuestion[];
  /** Time of its first open question, ms since 1970. */
  readonly since: number;
  /** JSON of the answer that begins its next turn; '' for none. */
  readonly forward: string;
}

/** A root with questions in its tree, with the facts for its status. */
export interface AskingRoot {
  readonly id: string;
  readonly owner: string;
  readonly contextId: string;
  readonly traits: string;
  readonly wordText: string;
  readonly word: StateWord;
  /** Whether its state is one of questions although its turn continues. */
  readonly isShown: boolean;
  /** JSON of its status message, or ''. */
  readonly message: string;
}

/** The open questions of trees: the questions, their presentation by the root, and their end. */
@Injectable()
export class QuestionStore {
  private readonly keys: TaskKeys;

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(TaskOptions) private readonly options: TaskOptions,
    private readonly clock: RedisClock,
  ) {
    this.keys = new TaskKeys(options.keyPrefix);
  }

  /** Time for which a root does not show questions while other tasks of the tree can continue, ms. */
  get askAfterMs(): number {
    return this.options.askAfterMs;
  }

  /** The clock of Redis, ms since 1970. */
  now(): number {
    return this.clock.now();
  }

  /**
   * The tasks with open questions: of the whole tree for a root, else the task itself. Without ended ones.
   * @param named the only relevant task, if a message names it
   */
  async of(taskId: string, isRoot: boolean, named?: string): Promise<readonly AskingTask[]> {
    if (isRoot && named !== undefined) {
      const since = await this.redis.hget(this.keys.questions(taskId), named);
      const task = since === null ? undefined : await this.askingTask(named, Number(since));
      return task === undefined ? [] : [task];
    }
    const asking = isRoot ? await this.redis.hgetall(this.keys.questions(taskId)) : { [taskId]: '0' };
    const some = Object.entries(asking).slice(0, MAX_ASKING);
    const found = await Promise.all(some.map(([id, since]) => this.askingTask(id, Number(since))));
    return found.flatMap((task) => task ?? []);
  }

  private async askingTask(taskId: string, since: number): Promise<AskingTask | undefined> {
    const [word, text, forward] = await this.redis.hmget(
      this.keys.task(taskId),
      FIELD.word,
      FIELD.questions,
      FIELD.forwarded,
    );
    if (typeof word !== 'string' || isTerminal(stateWord(word).state)) return undefined;
    return { taskId, text: text ?? '', questions: openQuestions(text ?? ''), since, forward: forward ?? '' };
  }

  /**
   * The open task that has the conversation handed over to a task: that one, or the one to which it was handed on.
   * Undefined when it has come back, and when the task waits for an answer.
   */
  async holder(handedTo: string): Promise<Pick<OpenQuestion, 'taskId' | 'skillId'> | undefined> {
    let holder: Pick<OpenQuestion, 'taskId' | 'skillId'> | undefined;
    for (let next: string | null | undefined = handedTo; typeof next === 'string';) {
      const read: readonly (string | null)[] = await this.redis.hmget(
        this.keys.task(next),
        FIELD.word,
        FIELD.traits,
        FIELD.conversation,
      );
      const [word, traits, further] = read;
      if (typeof word !== 'string' || typeof traits !== 'string') break;
      const { state } = stateWord(word);
      if (isTerminal(state)) break;
      if (isInterrupted(state)) return undefined;
      holder = { taskId: next, skillId: traitsOf(traits).skillId };
      next = further;
    }
    return holder;
  }

  /** Removes tasks without open questions. */
  async forget(root: string, known: readonly AskingTask[]): Promise<void> {
    const wanted = new Set(known.flatMap(({ taskId, text, forward }) => (text + forward === '' ? [] : [taskId])));
    const stored = await this.redis.hkeys(this.keys.questions(root));
    const gone = stored.slice(0, MAX_ASKING).filter((id) => !wanted.has(id));
    if (gone.length > 0) await this.redis.hdel(this.keys.questions(root), ...gone);
  }

  /** Marks an answer as the beginning of its task's next turn. */
  async forwarded(root: string, taskId: string): Promise<void> {
    await this.redis.hdel(this.keys.task(taskId), FIELD.forwarded);
    await this.redis.hdel(this.keys.questions(root), taskId);
  }

  /** Withdraws expired questions. False when the open ones have changed since they were read. */
  async withdraw(
    root: string,
    { taskId, text }: Pick<AskingTask, 'taskId' | 'text'>,
    left: readonly OpenQuestion[],
  ): Promise<boolean> {
    const keys = {
      ...{ task: this.keys.task(taskId), questions: this.keys.questions(root) },
      asking: this.keys.asking(shardOf(root)),
    };
    const args = { id: taskId, seen: text, left: questionsText(left) };
    return (await TASK_SCRIPTS.withdraw.run(this.redis, keys, args)) === 1;
  }

  /** Number of a task's answered questions, its open ones, and answers by the fields of its journal. */
  async answers(
    taskId: string,
    fields: readonly string[],
  ): Promise<{ count: number; open: readonly OpenQuestion[]; texts: readonly (string | null)[] }> {
    const [count, open] = await this.redis.hmget(this.keys.task(taskId), FIELD.answered, FIELD.questions);
    const texts = fields.length === 0 ? [] : await this.redis.hmget(this.keys.journal(taskId), ...fields);
    return { count: Number(count ?? 0), open: openQuestions(open ?? ''), texts };
  }

  /** The open questions of a task in the form of its record. */
  async textOf(taskId: string): Promise<string> {
    return (await this.redis.hget(this.keys.task(taskId), FIELD.questions)) ?? '';
  }

  /** Roots whose status may have to change for the questions of their tree. */
  async due(limit: number): Promise<readonly string[]> {
    const now = await redisNow(this.redis);
    const shards = ALL_SHARDS.map((shard) =>
      this.redis.zrangebyscore(this.keys.asking(shard), '-inf', now, 'LIMIT', 0, limit),
    );
    return (await Promise.all(shards)).flat();
  }

  /** Schedules the next check of a root. */
  async later(root: string, ms: number): Promise<void> {
    await this.redis.zadd(this.keys.asking(shardOf(root)), 'XX', Math.ceil(ms), root);
  }

  /** Removes a root without pending changes. */
  async done(root: string): Promise<void> {
    await this.redis.zrem(this.keys.asking(shardOf(root)), root);
  }

  async root(id: string): Promise<AskingRoot | undefined> {
    const fields = await this.redis.hmget(
      this.keys.task(id),
      FIELD.word,
      FIELD.owner,
      FIELD.context,
      FIELD.traits,
      FIELD.status,
      FIELD.isShown,
    );
    const [wordText, owner, contextId, traits, status, shown] = fields;
    if (typeof wordText !== 'string') return undefined;
    const known = { id, owner: owner ?? '', contextId: contextId ?? '', traits: traits ?? '', wordText };
    return {
      ...known,
      word: stateWord(wordText),
      isShown: typeof shown === 'string',
      message: (status ?? '').slice(14),
    };
  }

  /**
   * Whether a task of the tree other than its root can continue by itself: it runs, or waits for a worker or for a
   * time.
   */
  async isAnyAble(root: string): Promise<boolean> {
    const index = this.keys.ofTree(shardOf(root), root);
    const ids = await this.redis.zrangebyscore(index, BEGUN_FROM, `(${BEGUN_TO}`, 'LIMIT', 0, MAX_READ + 1);
    if (ids.length > MAX_READ) return true;
    return (await Promise.all(ids.map((id) => this.isAble(id)))).includes(true);
  }

  private async isAble(id: string): Promise<boolean> {
    const [word, waitsFor, questions] = await this.redis.hmget(
      this.keys.task(id),
      FIELD.word,
      FIELD.signals,
      FIELD.questions,
    );
    if (typeof word !== 'string' || stateWord(word).nonce !== PARKED) return typeof word === 'string';
    return typeof questions !== 'string' && !(waitsFor ?? '').split(' ').includes(CHILD);
  }

  /**
   * Sets the status of a parked root to the open questions; without a message it shows none. False when the root has
   * changed since it was read.
   */
  async show(root: AskingRoot, state: TaskState, message: Message | undefined): Promise<boolean> {
    const traits = traitsOf(root.traits);
    const shard = shardOf(root.id);
    const { open, openOfContext, openByState } = listsOf(
      this.keys,
      root.id,
      listedUnder(root.owner, traits),
      root.contextId,
    );
    const keys = {
      ...{ task: this.keys.task(root.id), counts: this.keys.counts(shard), history: this.keys.history(root.id) },
      ...{ states: this.keys.states(root.id), outbox: this.keys.outbox(shard), open, openOfContext },
      ...{ asking: this.keys.asking(shard), bytes: this.keys.bytes(shard) },
      ...{ ...openByState, tenantTasks: indexOf(this.keys, root.id, traits) },
    };
    const nonce = newNonce();
    for (let ms = this.clock.now(); ;) {
      const status = statusText(state, ms, message);
      const event = statusEventHead(root.id, root.contextId) + statusEventTail(status);
      const reply = await TASK_SCRIPTS.showQuestions.run(this.redis, keys, {
        ...{ id: root.id, seenWord: root.wordText, state, event, ms: status.ms, message: status.message, nonce },
        ...{ ttl: ttlOf(this.options), hints: this.keys.hints, shard: shardName(shard), ...accountsOf(traits) },
        isShown: message === undefined ? '' : 1,
      });
      const [verdict, earliest] = reply as readonly ['OK' | 'MOVED' | 'EARLIER', (number | string)?];
      if (verdict !== 'EARLIER') return verdict === 'OK';
      ms = Number(earliest);
    }
  }
}
