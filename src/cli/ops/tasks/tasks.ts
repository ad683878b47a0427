import type { INestApplicationContext } from '@nestjs/common';
import { ownerOf } from '../../../auth/principal.js';
import type { Task } from '@parley/protocol/model/task.js';
import { TASK_STATES, type TaskState } from '@parley/protocol/model/task-state.js';
import { type TaskFilter, TaskIndex } from '../../../tasks/lists/task-index.js';
import { TaskInspector } from '../../../tasks/lists/task-inspector.js';
import { TaskOwners } from '../../../tasks/lists/task-owners.js';
import { TenantIndex } from '../../../tasks/lists/tenant-index.js';
import { OperatorError } from '../operator-error.js';
import { oneLine, type Output, table } from '../output.js';

const PAGE = 100;
const MAX_NAMED = 20;

/** The owner of the tasks. */
export interface OwnerOptions {
  readonly tenant: string;
  readonly client: string;
  readonly user?: string;
}

export interface TasksOptions {
  readonly tenant: string;
  /** Absent: every client of the tenant. */
  readonly client?: string;
  readonly user?: string;
  readonly context?: string;
  readonly state?: string;
  readonly skill?: string;
  readonly limit: string;
}

/** The owner key of the tasks, from `ownerOf` of auth/principal.ts, if users may own tasks. */
function ownerNamed({ tenant, client, user }: OwnerOptions): string {
  const subject = user === undefined ? {} : { subject: user };
  return ownerOf({ tenant, client, ...subject, scopes: 'all', method: 'local' }, 'client-and-user');
}

/** The newest tasks of a tenant, or of one of its clients. */
export function listTasks(service: INestApplicationContext, options: TasksOptions): Promise<Output> {
  const { client, user, context } = options;
  const isWholeTenant = client === undefined && user === undefined && context === undefined;
  return isWholeTenant ? listTenant(service, options) : listOwners(service, options);
}

/** From the index of the tenant: every state has a total, however many tasks there are. */
async function listTenant(service: INestApplicationContext, options: TasksOptions): Promise<Output> {
  const { tenant, skill } = options;
  const state = stateNamed(options.state);
  const most = wholeNumber(options.limit);
  const found = await service.get(TenantIndex, { strict: false }).list(tenant, { state, skill }, most);
  const { tasks, states } = found;
  const all = state === undefined ? Object.values(states).reduce((sum, count) => sum + count, 0) : (states[state] ?? 0);
  const total = skill === undefined ? { total: all } : {};
  const cells = tasks.map((task) => [
    ...[task.id, stateName(task.state), task.skill, task.updated, String(task.bytes), task.owner],
  ]);
  const rest = skill === undefined ? ` of ${String(all)}` : '';
  const cut = found.isCut ? '; only the newest tasks were searched' : '';
  const counts = TASK_STATES.flatMap((one) =>
    states[one] === undefined ? [] : `${stateName(one)} ${String(states[one])}`,
  );
  const lines = [
    table(['task', 'state', 'skill', 'since', 'bytes', 'owner'], cells),
    `${String(tasks.length)}${rest}${cut}`,
    ...(counts.length === 0 ? await othersText(service, tenant) : [`All tasks of the tenant: ${counts.join(', ')}`]),
  ];
  return { json: { ...total, tasks, states, isCut: found.isCut }, text: lines.join('\n') };
}

/** For a tenant without tasks: lists the tenants that have some. */
async function othersText(service: INestApplicationContext, tenant: string): Promise<readonly string[]> {
  const others = await service.get(TaskOwners, { strict: false }).tenants();
  if (others.length === 0) return [];
  const named = others.slice(0, MAX_NAMED).map(oneLine).join(', ');
  const more = others.length > MAX_NAMED ? ` and ${String(others.length - MAX_NAMED)} more` : '';
  return [`The tenant ${oneLine(tenant)} has no tasks. Tenants with tasks (--tenant): ${named}${more}`];
}

async function listOwners(service: INestApplicationContext, options: TasksOptions): Promise<Output> {
  if (options.skill !== undefined)
    throw new OperatorError('--skill works for a whole tenant only: remove --client and --context.');
  const owners = await ownersMeant(service, options);
  const filter = { contextId: options.context, state: stateNamed(options.state) };
  const most = wholeNumber(options.limit);
  const index = service.get(TaskIndex, { strict: false });
  const lists = await Promise.all(owners.map((owner) => found(index, owner, filter, most)));
  const total = lists.reduce((sum, list) => sum + list.total, 0);
  const newest = lists.flatMap(({ rows }) => rows).sort((one, two) => (one.updated < two.updated ? 1 : -1));
  const rows = await withSkills(service, newest.slice(0, most));
  const cells = rows.map(({ id, state, skill, updated, owner }) => [id, stateName(state), skill, updated, owner]);
  const text = `${table(['task', 'state', 'skill', 'since', 'owner'], cells)}\n${String(rows.length)} of ${String(total)}`;
  return { json: { total, tasks: rows }, text };
}

/** A state as operators write it: `input-required`. */
export function stateName(state: TaskState): string {
  return state.replace('TASK_STATE_', '').toLowerCase().replaceAll('_', '-');
}

async function ownersMeant(service: INestApplicationContext, options: TasksOptions): Promise<readonly string[]> {
  const { tenant, client, user } = options;
  if (client !== undefined) return [ownerNamed({ tenant, client, ...(user === undefined ? {} : { user }) })];
  if (user !== undefined) throw new OperatorError('--user needs the client of the user: --client <name>.');
  return service.get(TaskOwners, { strict: false }).of(tenant);
}

/** Page by page: Redis is blocked while it collects a page. */
async function found(
  index: TaskIndex,
  owner: string,
  filter: TaskFilter,
  most: number,
): Promise<{ readonly rows: readonly Found[]; readonly total: number }> {
  const shown = { historyLength: 0, artifacts: false };
  const rows: Found[] = [];
  for (let after: string | undefined, left = most; ; left -= PAGE) {
    const { tasks, total, next } = await index.list(owner, filter, { after, limit: Math.min(left, PAGE), shown });
    rows.push(...tasks.flatMap(({ task }) => (task === '' ? [] : foundOf(JSON.parse(task) as Task, owner))));
    after = next;
    if (next === undefined || left <= PAGE) return { rows, total };
  }
}

function foundOf({ id, contextId, status }: Task, owner: string): Found {
  return { id, state: status.state, updated: status.timestamp, contextId, owner };
}

async function withSkills(service: INestApplicationContext, rows: readonly Found[]): Promise<readonly Row[]> {
  const skills = await service.get(TaskInspector, { strict: false }).skillsOf(rows.map(({ id }) => id));
  return rows.map((row, at) => ({ ...row, skill: skills[at] ?? '' }));
}

interface Found {
  readonly id: string;
  readonly state: TaskState;
  readonly updated: string;
  readonly contextId: string;
  readonly owner: string;
}

interface Row extends Found {
  readonly skill: string;
}

function stateNamed(name: string | undefined): TaskState | undefined {
  if (name === undefined) return undefined;
  const wanted = `TASK_STATE_${name.toUpperCase().replaceAll('-', '_').replace('TASK_STATE_', '')}`;
  const state = TASK_STATES.find((known) => known === wanted);
  if (state === undefined)
    throw new OperatorError(`Unknown task state: ${name}. States: ${TASK_STATES.map(stateName).join(', ')}.`);
  return state;
}

/** @throws OperatorError for anything else */
export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new OperatorError(`${text} is not a whole number from 1 to 999999.`);
  return Number(text);
}
