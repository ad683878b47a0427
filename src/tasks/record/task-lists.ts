import { isTerminal, type TaskState } from '@parley/protocol/model/task-state.js';
import type { TaskTraits } from './task-record.js';
import { shardOf, type TaskKeys } from '../task.keys.js';

/** States of open tasks with a list of their own; tasks in their first state are the remaining open ones. */
const LISTED_OPEN: readonly TaskState[] = [
  'TASK_STATE_WORKING',
  'TASK_STATE_INPUT_REQUIRED',
  'TASK_STATE_AUTH_REQUIRED',
];
/** Ends with a list of their own; COMPLETED, the usual one, is the remainder of all ended ones. */
const LISTED_ENDS: readonly TaskState[] = ['TASK_STATE_FAILED', 'TASK_STATE_CANCELED', 'TASK_STATE_REJECTED'];

export function hasOwnList(state: TaskState): boolean {
  return LISTED_ENDS.includes(state) || LISTED_OPEN.includes(state);
}

/** The other states in the list of all open or of all ended tasks. */
export function listedBeside(state: TaskState): readonly TaskState[] {
  return isTerminal(state) ? LISTED_ENDS : LISTED_OPEN;
}

/** The list of an owner's tasks in a state, from that of all open or ended ones; of a context if one is named. */
export function listOfState(list: string, state: TaskState, contextId?: string): string {
  return contextId === undefined ? `${list}:s:${state}` : `${list}:b:${state}:${contextId}`;
}

/** The sets of one shard in which ListTasks may find a task. Names are built on access. */
export class TaskLists {
  constructor(
    readonly open: string,
    readonly ended: string,
    private readonly contextId: string,
  ) {}

  get openOfContext(): string {
    return `${this.open}:c:${this.contextId}`;
  }

  get endedOfContext(): string {
    return `${this.ended}:c:${this.contextId}`;
  }

  /** The owner's tasks in a state. */
  ofState(state: TaskState): string {
    return listOfState(this.listOf(state), state);
  }

  /** The owner's tasks of the context in a state. */
  ofStateInContext(state: TaskState): string {
    return listOfState(this.listOf(state), state, this.contextId);
  }

  /** The keys of lua/lib/record/relist.lua. */
  get openByState() {
    return {
      working: this.ofState('TASK_STATE_WORKING'),
      inputRequired: this.ofState('TASK_STATE_INPUT_REQUIRED'),
      authRequired: this.ofState('TASK_STATE_AUTH_REQUIRED'),
      contextWorking: this.ofStateInContext('TASK_STATE_WORKING'),
      contextInputRequired: this.ofStateInContext('TASK_STATE_INPUT_REQUIRED'),
      contextAuthRequired: this.ofStateInContext('TASK_STATE_AUTH_REQUIRED'),
    };
  }

  private listOf(state: TaskState): string {
    return LISTED_OPEN.includes(state) ? this.open : this.ended;
  }
}

/** The name under which a task is listed: its owner's, or that of its tree. ListTasks has roots only. */
export function listedUnder(owner: string, { tree }: Pick<TaskTraits, 'tree'>): string {
  return tree === undefined ? owner : treeName(tree.root);
}

/** The name under which the children of a tree are listed. */
export function treeName(root: string): string {
  return `tree:${root}`;
}

/** The index by state and time that contains a task: its tenant's, or its tree's. */
export function indexOf(keys: TaskKeys, taskId: string, { tenant, tree }: Pick<TaskTraits, 'tenant' | 'tree'>): string {
  const shard = shardOf(taskId);
  return tree === undefined ? keys.ofTenant(shard, tenant) : keys.ofTree(shard, tree.root);
}

/** @param owner name under which the task is listed */
export function listsOf(keys: TaskKeys, taskId: string, owner: string, contextId: string): TaskLists {
  return new TaskLists(keys.open(taskId, owner), keys.ended(taskId, owner), contextId);
}

/** The generated context of a task whose message has none: derived from the task's id, and so in no set. */
export function contextOfTask(taskId: string): string {
  return `${taskId.slice(0, 14)}8${taskId.slice(15)}`;
}

/** The task for which the service would generate this context; undefined for one of another form. */
export function taskOfContext(contextId: string): string | undefined {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(contextId)
    ? `${contextId.slice(0, 14)}4${contextId.slice(15)}`
    : undefined;
}

/** The task of an entry in a list, `<ms of its status>:<id>`. */
export function taskIdAt(entry: string): string {
  return entry.slice(entry.indexOf(':') + 1);
}
