import { Inject, Injectable } from '@nestjs/common';
import { CommandRedis } from '../../platform/redis/connection/connections.js';
import type { TaskState } from '@parley/protocol/model/task-state.js';
import { failureOf, type TaskFailure } from '../lists/task-failure.js';
import { answerBy, openQuestions } from '../record/open-question.js';
import { PARKED, stateWord } from '../record/state-word.js';
import { storedStatus } from '../record/task-json.js';
import { type TaskRest, traitsOf } from '../record/task-record.js';
import { shardOf, TaskKeys } from '../task.keys.js';
import { TaskOptions } from '../task.options.js';
import { FIELD } from '../task-fields.js';

/** A task of a tree, for operators: no messages and no results. */
export interface TreeTask extends TaskFailure {
  readonly id: string;
  /** Absent for the root. */
  readonly parent?: string;
  /** The name of the call in its parent's turn. */
  readonly key?: string;
  readonly depth: number;
  readonly skill: string;
  readonly state: TaskState;
  readonly created: string;
  /** Time of its state. */
  readonly updated: string;
  /** Parked tasks hold no slot: they wait for children, a time or a message. */
  readonly isParked: boolean;
  /** Number of its open questions. */
  readonly questions: number;
  /** Their nearest deadline. */
  readonly answerBy?: string;
}

export interface TaskTree {
  readonly root: string;
  /** The root first; children follow in the order of their creation. */
  readonly tasks: readonly TreeTask[];
  /** Tasks of the tree, including the root; more than listed for a large tree. */
  readonly total: number;
}

/** Maximum children read of one tree. */
const MAX_CHILDREN = 500;

/** Reads the tasks of a tree, of any owner: for operators only. */
@Injectable()
export class TreeReader {
  private readonly keys: TaskKeys;

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(TaskOptions) options: TaskOptions,
  ) {
    this.keys = new TaskKeys(options.keyPrefix);
  }

  /** @param root an existing task that a caller began */
  async of(root: string): Promise<TaskTree> {
    const set = this.keys.ofTree(shardOf(root), root);
    const [ids, count] = await Promise.all([
      this.redis.zrange(set, 0, String(MAX_CHILDREN - 1)),
      this.redis.zcard(set),
    ]);
    const read = await Promise.all([root, ...ids].map((id) => this.task(id)));
    const [first, ...children] = read.flatMap((task) => (task === undefined ? [] : [task]));
    children.sort((one, other) => (one.created < other.created ? -1 : 1));
    return { root, tasks: first === undefined ? children : [first, ...children], total: count + 1 };
  }

  private async task(id: string): Promise<TreeTask | undefined> {
    const [word, traits, rest, status, asked] = await this.redis.hmget(
      this.keys.task(id),
      FIELD.word,
      FIELD.traits,
      FIELD.rest,
      FIELD.status,
      FIELD.questions,
    );
    if (typeof word !== 'string') return undefined;
    const { state, nonce, fence } = stateWord(word);
    const questions = openQuestions(asked ?? '');
    const { skillId: skill, tree } = traitsOf(traits ?? '');
    const { born } = JSON.parse(rest ?? '{"born":0}') as TaskRest;
    const { timestamp: updated, message } = storedStatus(state, status ?? '');
    return {
      ...{ id, skill, state, isParked: nonce === PARKED, depth: tree?.depth ?? 0 },
      ...(await failureOf(this.redis, this.keys.task(id), { state, fence }, message)),
      ...{ questions: questions.length, ...answerBy(questions) },
      ...(tree === undefined ? {} : { parent: tree.parent, key: tree.key }),
      created: new Date(born).toISOString(),
      updated,
    };
  }
}
