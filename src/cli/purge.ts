import type { INestApplicationContext } from '@nestjs/common';
import { SweepStore } from '../task/sweep.store.js';
import { TaskIndex, taskIdAt } from '../task/task-index.js';
import { OperatorError } from './operator-error.js';
import type { Output } from './output.js';
import { ownerNamed } from './tasks.js';

const PAGE = 500;

export interface PurgeOptions {
  readonly tenant: string;
  readonly client: string;
  readonly context?: string;
  readonly all?: boolean;
  /** Without it nothing is removed, and the number is told. */
  readonly yes?: boolean;
  /** Running tasks too; their runs stop at the next heartbeat. */
  readonly running?: boolean;
}

/** Removes the tasks of a client, in one context or all, with their events, files and webhooks. */
export async function purge(service: INestApplicationContext, options: PurgeOptions): Promise<Output> {
  if (options.context === undefined && options.all !== true) {
    throw new OperatorError('Say which tasks: --context <id>, or --all for every task of the client.');
  }
  const ids = await idsOf(service, options);
  if (options.yes !== true) {
    const text = `${String(ids.length)} tasks would be removed for good. Add --yes to remove them.`;
    return { json: { found: ids.length, removed: 0 }, text };
  }
  const store = service.get(SweepStore, { strict: false });
  let removed = 0;
  for (const id of ids) {
    if (await store.purge(id, options.running === true ? 'whatever' : 'finished')) removed += 1;
  }
  const kept = ids.length - removed;
  const rest = kept === 0 ? '' : ` ${String(kept)} are not finished and were kept; --running removes them too.`;
  return { json: { found: ids.length, removed }, text: `${String(removed)} tasks removed.${rest}` };
}

async function idsOf(service: INestApplicationContext, options: PurgeOptions): Promise<readonly string[]> {
  const index = service.get(TaskIndex, { strict: false });
  const ids: string[] = [];
  let after: string | undefined;
  for (;;) {
    const { places } = await index.list(ownerNamed(options), { contextId: options.context }, after, PAGE);
    ids.push(...places.map(taskIdAt));
    after = places.at(-1);
    if (after === undefined || places.length < PAGE) return ids;
  }
}
