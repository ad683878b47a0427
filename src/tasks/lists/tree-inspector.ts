import { Inject, Injectable } from '@nestjs/common';
import type { TaskState } from '@parley/protocol/model/task-state.js';
import { CommandRedis } from '../../platform/redis/connection/connections.js';
import { answerBy, openQuestions } from '../record/open-question.js';
import { PARKED, stateWord } from '../record/state-word.js';
import { storedStatus } from '../record/task-json.js';
import { traitsOf } from '../record/task-record.js';
import { ALL_SHARDS, isTaskId, TaskKeys } from '../task.keys.js';
import { TaskOptions } from '../task.options.js';
import { FIELD } from '../task-fields.js';
import { failureOf, type TaskFailure } from './task-failure.js';

/** Maximum tasks read of one tree. */
const MAX_NODES = 1_000;

/** One task of a tree, for operators. */
export interface TreeNode extends TaskFailure {
  readonly id: string;
  /** 0 for the root. */
  readonly depth: number;
  /** The name of its call; '' for the root. */
  readonly key: string;
  readonly skill: string;
  readonly state: TaskState;
  /** Time of its state. */
  readonly since: string;
  /** Whether it waits without a run, slot or process. */
  readonly isParked: boolean;
  /** Number of open questions; their texts are messages of its owner and not shown. */
  readonly questions: number;
  /** Their nearest deadline. */
  readonly answerBy?: string;
}

/** A tree of tasks, depth first. */
export interface TreeFacts {
  readonly root: string;
  readonly nodes: readonly TreeNode[];
  /** Whether it has more tasks than were read. */
  readonly isCut: boolean;
  /** Its limits of children, tasks and levels; absent without children. */
  readonly allowed?: { readonly children: number; readonly tasks: number; readonly levels: number };
  /** Its tasks' use and reservations of language models, and its limits; absent without use. */
  readonly models?: ModelUse;
}

/** Money in millionths. */
export interface ModelUse {
  readonly tokens: number;
  readonly micros: number;
  readonly calls: number;
  readonly most: { readonly tokens: number; readonly calls: number };
}

/** Trees of tasks for operators: reads those of every owner, and changes none. */
@Injectable()
export class TreeInspector {
  private readonly keys: TaskKeys;

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(TaskOptions) options: TaskOptions,
  ) {
    this.keys = new TaskKeys(options.keyPrefix);
  }

  /** The whole tree of a task; undefined for a missing task. */
  async of(id: string): Promise<TreeFacts | undefined> {
    if (!isTaskId(id)) return undefined;
    const traits = await this.redis.hget(this.keys.task(id), FIELD.traits);
    if (traits === null) return undefined;
    const root = traitsOf(traits).tree?.root ?? id;
    const nodes: TreeNode[] = [];
    await this.walk(root, 0, nodes);
    const [allowed = null, ...use] = await this.redis.hmget(this.keys.tree(root), 'allowed', ...USED);
    const [children = 0, tasks = 0, levels = 0] = (allowed ?? '').split(' ').map(Number);
    const isCut = nodes.length > MAX_NODES;
    return {
      ...{ root, nodes: nodes.slice(0, MAX_NODES), isCut },
      ...(allowed === null ? {} : { allowed: { children, tasks, levels } }),
      ...modelsOf(use),
    };
  }

  /** Trees whose roots have not ended. */
  async open(): Promise<number> {
    const sizes = await Promise.all(ALL_SHARDS.map((shard) => this.redis.zcard(this.keys.trees(shard))));
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  private async walk(id: string, depth: number, nodes: TreeNode[]): Promise<void> {
    if (nodes.length > MAX_NODES) return;
    const [word, traits, status, asked] = await this.redis.hmget(
      this.keys.task(id),
      FIELD.word,
      FIELD.traits,
      FIELD.status,
      FIELD.questions,
    );
    if (typeof word !== 'string') return;
    const { state, nonce, fence } = stateWord(word);
    const questions = openQuestions(asked ?? '');
    const { skillId, tree } = traitsOf(traits ?? '');
    const { timestamp: since, message } = storedStatus(state, status ?? '');
    nodes.push({
      ...{ id, depth, key: tree?.key ?? '', skill: skillId, state, isParked: nonce === PARKED },
      ...(await failureOf(this.redis, this.keys.task(id), { state, fence }, message)),
      since,
      ...{ questions: questions.length, ...answerBy(questions) },
    });
    const children = (await this.redis.hkeys(this.keys.children(id))).filter(isTaskId);
    for (const child of children) await this.walk(child, depth + 1, nodes);
  }
}

/** Fields of lua/tree/reserve.lua. */
const USED = ['budget', 'tokens', 'micros', 'calls'] as const;

function modelsOf([budget, ...used]: readonly (string | null)[]): Pick<TreeFacts, 'models'> {
  if (typeof budget !== 'string') return {};
  const [mostTokens = 0, , mostCalls = 0] = budget.split(' ').map(Number);
  const [tokens = 0, micros = 0, calls = 0] = used.map(Number);
  return { models: { tokens, micros, calls, most: { tokens: mostTokens, calls: mostCalls } } };
}
