import type { INestApplicationContext } from '@nestjs/common';
import { ownerOf } from '../security/auth/principal.js';
import type { Task } from '../protocol/task.js';
import { TASK_STATES, type TaskState } from '../protocol/task-state.js';
import { type TaskFilter, TaskIndex } from '../task/task-index.js';
import { OperatorError } from './operator-error.js';
import { type Output, table } from './output.js';

const PAGE = 100;

/** Whose tasks are meant. */
export interface OwnerOptions {
  readonly tenant: string;
  readonly client: string;
  readonly user?: string;
}

export interface TasksOptions extends OwnerOptions {
  readonly context?: string;
  readonly state?: string;
  readonly limit: string;
}

/** The name under which the tasks are kept, as `ownerOf` of auth/principal.ts makes it where users may own tasks. */
function ownerNamed({ tenant, client, user }: OwnerOptions): string {
  const subject = user === undefined ? {} : { subject: user };
  return ownerOf({ tenant, client, ...subject, scopes: 'all', method: 'local' }, 'client-and-user');
}

/** The newest tasks of one client. */
export async function listTasks(service: INestApplicationContext, options: TasksOptions): Promise<Output> {
  const owner = ownerNamed(options);
  const filter = { contextId: options.context, state: stateNamed(options.state) };
  const { rows, total } = await found(
    service.get(TaskIndex, { strict: false }),
    owner,
    filter,
    wholeNumber(options.limit),
  );
  const cells = rows.map(({ id, state, updated, contextId }) => [id, state, updated, contextId]);
  const text = `${table(['task', 'state', 'since', 'context'], cells)}\n${String(rows.length)} of ${String(total)}`;
  return { json: { total, tasks: rows }, text };
}

/** Page by page: Redis does nothing else while it looks for one. */
async function found(
  index: TaskIndex,
  owner: string,
  filter: TaskFilter,
  most: number,
): Promise<{ readonly rows: readonly Row[]; readonly total: number }> {
  const shown = { historyLength: 0, artifacts: false };
  const rows: Row[] = [];
  for (let after: string | undefined, left = most; ; left -= PAGE) {
    const { tasks, total, next } = await index.list(owner, filter, { after, limit: Math.min(left, PAGE), shown });
    rows.push(...tasks.flatMap(({ task }) => (task === '' ? [] : rowOf(JSON.parse(task) as Task))));
    after = next;
    if (next === undefined || left <= PAGE) return { rows, total };
  }
}

function rowOf({ id, contextId, status }: Task): Row {
  return { id, state: status.state, updated: status.timestamp, contextId };
}

interface Row {
  readonly id: string;
  readonly state: string;
  readonly updated: string;
  readonly contextId: string;
}

function stateNamed(name: string | undefined): TaskState | undefined {
  if (name === undefined) return undefined;
  const wanted = `TASK_STATE_${name.toUpperCase().replaceAll('-', '_').replace('TASK_STATE_', '')}`;
  const state = TASK_STATES.find((known) => known === wanted);
  if (state === undefined) throw new OperatorError(`${name} is no state of a task; try "working" or "completed".`);
  return state;
}

/** @throws OperatorError for anything else */
export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new OperatorError(`${text} is not a whole number from 1 to 999999.`);
  return Number(text);
}
