import type { RedisClient } from '../../platform/redis/connection/redis-client.js';
import { tenantName } from './task-record.js';
import { isTaskId, type TaskKeys } from '../task.keys.js';
import { TASK_SCRIPTS } from '../task.scripts.js';

/** A task as its owner or its tenant asks for it. */
export type AskedTask = { readonly id: string; readonly fields: readonly string[] } & (
  { readonly owner: string; readonly tenant?: never } | { readonly tenant: string; readonly owner?: never }
);

/**
 * Fields of a task; undefined when it is missing or foreign. Redis compares, so that the reply for a foreign task is
 * that for a missing one: what is read and then dropped here takes longer.
 */
export async function ownedFields(
  redis: RedisClient,
  keys: TaskKeys,
  { id, fields, owner = '', tenant }: AskedTask,
): Promise<readonly (string | null)[] | undefined> {
  if (!isTaskId(id)) return undefined;
  const args = { owner, tenant: tenant === undefined ? '' : tenantName(tenant), fields };
  const reply = await TASK_SCRIPTS.owned.run(redis, { task: keys.task(id) }, args);
  return (reply ?? undefined) as readonly (string | null)[] | undefined;
}
