import { Inject, Injectable } from '@nestjs/common';
import { RERUN_OF } from '@parley/protocol/extension/marks.js';
import type { TaskModelUsage } from '@parley/protocol/extension/model-usage.js';
import type { TaskState } from '@parley/protocol/model/task-state.js';
import { CommandRedis } from '../../platform/redis/connection/connections.js';
import { ownedFields } from '../record/owned-fields.js';
import { usageIn } from './task-reader.js';
import { answerBy, openQuestions } from '../record/open-question.js';
import { reasonOf } from '../record/run-fault.js';
import { PARKED, stateWord } from '../record/state-word.js';
import { storedStatus } from '../record/task-json.js';
import { type TaskRest, traitsOf } from '../record/task-record.js';
import { isTaskId, shardOf, TaskKeys } from '../task.keys.js';
import { CHILD, HINT } from '../commit/wait.js';
import { TaskOptions } from '../task.options.js';
import { FIELD } from '../task-fields.js';

/** The details of one task for operators. */
export interface TaskFacts {
  readonly id: string;
  readonly owner: string;
  readonly tenant: string;
  readonly contextId: string;
  /** '' if no skill accepted the task. */
  readonly skill: string;
  readonly state: TaskState;
  /** Time of its state. */
  readonly since: string;
  /** The reason of a failure or rejection. Content: shown with the right to read tasks. */
  readonly reason?: string;
  /** Creation time. */
  readonly created: string;
  readonly client: string;
  /** The person or service that its client acts for. */
  readonly subject?: string;
  /** For a child: the task whose run created it, the root of its tree, and the path of skills and calls. */
  readonly tree?: { readonly parent: string; readonly root: string; readonly path: string };
  /** The task that it reruns. */
  readonly rerunOf?: string;
  /** Time of its removal; absent for an open task, and for a child, which is removed with its root. */
  readonly keptUntil?: string;
  /** Number of the latest event. */
  readonly events: number;
  readonly turn: number;
  /** Runs of this turn since its last progress, lost ones included. */
  readonly attempts: number;
  readonly isCancelRequested: boolean;
  /** Its use of language models, if any; for a root that of its tree. */
  readonly models?: TaskModelUsage;
  /** The nearest deadline of its open questions. */
  readonly answerBy?: string;
  /** The wait of a parked task, which holds no run, slot or process. */
  readonly parked?: Parked;
  /** The active run of the task; absent if there is none. */
  readonly run?: { readonly worker: string; readonly leaseEndsInMs: number };
}

/** The wait of a parked task. */
export interface Parked {
  /** Latest time of its wake-up. */
  readonly until: string;
  /** Signals of callers that wake it earlier, `*` for any message. */
  readonly signals: readonly string[];
  /** Its other wake-ups: the end of a child, a change at the agent that does the work, an answer. */
  readonly waitsFor?: 'children' | 'remote' | 'answer';
}

const INSPECTED = [
  ...[FIELD.word, FIELD.owner, FIELD.context, FIELD.traits, FIELD.status, FIELD.cancel, FIELD.worker],
  ...[FIELD.signals, FIELD.rest, FIELD.metadata, FIELD.modelUse, FIELD.questions],
];

/** The operator's side of task state: reads tasks of every owner, and changes none. */
@Injectable()
export class TaskInspector {
  private readonly keys: TaskKeys;

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(TaskOptions) options: TaskOptions,
  ) {
    this.keys = new TaskKeys(options.keyPrefix);
  }

  /**
   * The same for a task of another tenant as for a missing one, after the same reads: the tenant is compared before
   * anything else of the task is read, which takes longer for a larger task.
   */
  async ofTenant(tenant: string, id: string): Promise<TaskFacts | undefined> {
    const known = await ownedFields(this.redis, this.keys, { tenant, id, fields: [FIELD.word] });
    return known && this.inspect(id);
  }

  /** For any tenant. Undefined for a missing task. */
  async inspect(id: string): Promise<TaskFacts | undefined> {
    if (!isTaskId(id)) return undefined;
    const [
      [word, owner, contextId, traits, status, cancel, worker, signals, rest, metadata, use, questions],
      removedAt,
    ] = await Promise.all([
      this.redis.hmget(this.keys.task(id), ...INSPECTED),
      this.redis.zscore(this.keys.over(shardOf(id)), id),
    ]);
    if (typeof word !== 'string') return undefined;
    const { state, seq, nonce, turn, attempt } = stateWord(word);
    const { tenant, skillId } = traitsOf(traits ?? '');
    const due = nonce === '' ? null : await this.redis.zscore(this.keys.dueOf(id), id);
    const isRun = nonce !== '' && nonce !== PARKED;
    const { timestamp: since, message } = storedStatus(state, status ?? '');
    const waits = { until: new Date(Number(due)).toISOString(), ...waitOf(signals ?? '', (questions ?? '') !== '') };
    return {
      ...{ id, owner: owner ?? '', tenant, contextId: contextId ?? '', skill: skillId, state },
      since,
      ...reasonOf(state, message),
      ...originOf(traits ?? '', rest ?? ''),
      ...repeatedIn(metadata ?? ''),
      ...(removedAt === null ? {} : { keptUntil: new Date(Number(removedAt)).toISOString() }),
      ...{ events: seq, turn, attempts: attempt, isCancelRequested: cancel !== null },
      ...(typeof use === 'string' ? { models: usageIn(use) } : {}),
      ...answerBy(openQuestions(questions ?? '')),
      ...(nonce === PARKED ? { parked: waits } : {}),
      ...(isRun ? { run: { worker: this.processOf(worker ?? ''), leaseEndsInMs: await this.until(due) } } : {}),
    };
  }

  /** The skill of each task, '' without one or for a deleted task. */
  async skillsOf(ids: readonly string[]): Promise<readonly string[]> {
    return Promise.all(
      ids.map(async (id) => traitsOf((await this.redis.hget(this.keys.task(id), FIELD.traits)) ?? '- -').skillId),
    );
  }

  /** The id of a process, from the channel of its runs. */
  private processOf(channel = ''): string {
    return channel.slice(this.keys.process('').length).split(':', 1)[0] ?? '';
  }

  /** Leases expire by the clock of Redis. */
  private async until(ms: string | null): Promise<number> {
    const [seconds, micros] = await this.redis.time();
    return Number(ms) - Math.floor(Number(seconds) * 1000 + Number(micros) / 1000);
  }
}

/** The origin of a task. */
function originOf(traits: string, text: string): Pick<TaskFacts, 'created' | 'client' | 'subject' | 'tree'> {
  const { born, client, subject, path = '' } = JSON.parse(text) as TaskRest;
  const { tree } = traitsOf(traits);
  return {
    ...{ created: new Date(born).toISOString(), client },
    ...(subject === undefined ? {} : { subject }),
    ...(tree === undefined ? {} : { tree: { parent: tree.parent, root: tree.root, path } }),
  };
}

/** Callers may name any task here: only a hint for people. */
function repeatedIn(metadata: string): Pick<TaskFacts, 'rerunOf'> {
  if (!metadata.includes(RERUN_OF)) return {};
  const { [RERUN_OF]: id } = JSON.parse(metadata) as Readonly<Record<string, unknown>>;
  return typeof id === 'string' && isTaskId(id) ? { rerunOf: id } : {};
}

/** @param stored the signals that wake it, including those of the service */
function waitOf(stored: string, hasAsked: boolean): Omit<Parked, 'until'> {
  const all = stored === '' ? [] : stored.split(' ');
  const signals = all.filter((signal) => signal !== CHILD && signal !== HINT);
  const waitsFor = hasAsked ? 'answer' : all.includes(CHILD) ? 'children' : all.includes(HINT) ? 'remote' : undefined;
  return { signals, ...(waitsFor === undefined ? {} : { waitsFor }) };
}
