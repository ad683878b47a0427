import { Inject, Injectable } from '@nestjs/common';
import { RERUN_OF } from '@parley/protocol/extension/marks.js';
import type { TaskModelUsage } from '@parley/protocol/extension/model-usage.js';
import type { TaskState } from '@parley/protocol/model/task-state.js';
import { CommandRedis } from '../../platform/redis/connection/connections.js';
import { usageIn } from './task-reader.js';
import { reasonOf } from '../record/run-fault.js';
import { PARKED, stateWord } from '../record/state-word.js';
import { storedStatus } from '../record/task-json.js';
import { type TaskRest, tenantName, traitsOf } from '../record/task-record.js';
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
  /** '' where no skill took the task. */
  readonly skill: string;
  readonly state: TaskState;
  /** When it came into this state. */
  readonly since: string;
  /** Why it has failed or was rejected. Content: shown with the right to read tasks. */
  readonly reason?: string;
  /** When it was made. */
  readonly created: string;
  readonly client: string;
  /** The person or service that its client acts for. */
  readonly subject?: string;
  /** Of a child: the task whose run made it, the root of its tree, and the skills and calls on the way to it. */
  readonly tree?: { readonly parent: string; readonly root: string; readonly path: string };
  /** The task that it repeats. */
  readonly rerunOf?: string;
  /** When it is removed; absent while it has not ended, and for a child, which is removed with its root. */
  readonly keptUntil?: string;
  /** Number of the latest event. */
  readonly events: number;
  readonly turn: number;
  /** Runs of this turn that have begun since there was progress, lost ones included. */
  readonly attempts: number;
  readonly isCancelRequested: boolean;
  /** What it has used of language models, where it has; a root: what its tree has. */
  readonly models?: TaskModelUsage;
  /** What the task waits for, where it is parked: no run, slot or process has it. */
  readonly parked?: Parked;
  /** The active run of the task; absent if there is none. */
  readonly run?: { readonly worker: string; readonly leaseEndsInMs: number };
}

/** What a parked task waits for. */
export interface Parked {
  /** When it wakes at the latest. */
  readonly until: string;
  /** Signals of callers that wake it before, `*` for any message. */
  readonly signals: readonly string[];
  /** What wakes it beside them: the end of a child, news of the agent that does the work, an answer. */
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
   * The same for a task of another tenant as for one that does not exist, after the same reads: the tenant is compared before
   * anything else of the task is read, which would take longer the larger it is.
   */
  async ofTenant(tenant: string, id: string): Promise<TaskFacts | undefined> {
    if (!isTaskId(id)) return undefined;
    const traits = (await this.redis.hget(this.keys.task(id), FIELD.traits)) ?? '';
    return traits.startsWith(`${tenantName(tenant)} `) ? this.inspect(id) : undefined;
  }

  /** Of any tenant. Undefined when there is no such task. */
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
      ...(nonce === PARKED ? { parked: waits } : {}),
      ...(isRun ? { run: { worker: this.processOf(worker ?? ''), leaseEndsInMs: await this.until(due) } } : {}),
    };
  }

  /** The skill of each task, '' where none took it or the task is gone. */
  async skillsOf(ids: readonly string[]): Promise<readonly string[]> {
    return Promise.all(
      ids.map(async (id) => traitsOf((await this.redis.hget(this.keys.task(id), FIELD.traits)) ?? '- -').skillId),
    );
  }

  /** The id of a process, from the channel of its runs. */
  private processOf(channel = ''): string {
    return channel.slice(this.keys.process('').length).split(':', 1)[0] ?? '';
  }

  /** Leases end by the clock of Redis. */
  private async until(ms: string | null): Promise<number> {
    const [seconds, micros] = await this.redis.time();
    return Number(ms) - Math.floor(Number(seconds) * 1000 + Number(micros) / 1000);
  }
}

/** Where a task comes from. */
function originOf(traits: string, text: string): Pick<TaskFacts, 'created' | 'client' | 'subject' | 'tree'> {
  const { born, client, subject, path = '' } = JSON.parse(text) as TaskRest;
  const { tree } = traitsOf(traits);
  return {
    ...{ created: new Date(born).toISOString(), client },
    ...(subject === undefined ? {} : { subject }),
    ...(tree === undefined ? {} : { tree: { parent: tree.parent, root: tree.root, path } }),
  };
}

/** Callers may name any task here, so it is a hint for people and nothing more. */
function repeatedIn(metadata: string): Pick<TaskFacts, 'rerunOf'> {
  if (!metadata.includes(RERUN_OF)) return {};
  const { [RERUN_OF]: id } = JSON.parse(metadata) as Readonly<Record<string, unknown>>;
  return typeof id === 'string' && isTaskId(id) ? { rerunOf: id } : {};
}

/** @param stored the signals that wake it, those of the service among them */
function waitOf(stored: string, hasAsked: boolean): Omit<Parked, 'until'> {
  const all = stored === '' ? [] : stored.split(' ');
  const signals = all.filter((signal) => signal !== CHILD && signal !== HINT);
  const waitsFor = hasAsked ? 'answer' : all.includes(CHILD) ? 'children' : all.includes(HINT) ? 'remote' : undefined;
  return { signals, ...(waitsFor === undefined ? {} : { waitsFor }) };
}
