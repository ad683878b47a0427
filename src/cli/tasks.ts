import type { INestApplicationContext } from '@nestjs/common';
import { ownerOf } from '../auth/principal.js';
import { TASK_STATES, type TaskState } from '../protocol/task-state.js';
import { TaskIndex, taskIdAt } from '../task/task-index.js';
import { TaskStore } from '../task/task.store.js';
import { OperatorError } from './operator-error.js';
import { type Output, table } from './output.js';

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
  const { places, total } = await service
    .get(TaskIndex, { strict: false })
    .list(
      owner,
      { contextId: options.context, state: stateNamed(options.state) },
      undefined,
      wholeNumber(options.limit),
    );
  const tasks = await Promise.all(places.map((place) => describeTask(service, owner, taskIdAt(place))));
  const present = tasks.filter((task) => task !== undefined);
  const rows = present.map(({ id, state, updated, contextId }) => [id, state, updated, contextId]);
  const text = `${table(['task', 'state', 'since', 'context'], rows)}\n${String(present.length)} of ${String(total)}`;
  return { json: { total, tasks: present }, text };
}

async function describeTask(service: INestApplicationContext, owner: string, id: string): Promise<Row | undefined> {
  const store = service.get(TaskStore, { strict: false });
  const snapshot = await store.read(owner, id, { historyLength: 0, artifacts: false });
  if (snapshot === undefined) return undefined;
  const { state, contextId, task } = snapshot;
  return { id, state, updated: task.value.status.timestamp, contextId };
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
