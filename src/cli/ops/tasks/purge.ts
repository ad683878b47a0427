import type { INestApplicationContext } from '@nestjs/common';
import { DeadLetterStore } from '../../../webhooks/dead-letter/dead-letter.store.js';
import { ContextStore } from '../../../tasks/values/context.store.js';
import { EventWebhooks } from '../../../tasks/publications/event-webhooks.store.js';
import { SweepStore } from '../../../tasks/store/sweep.store.js';
import { TaskIndex } from '../../../tasks/lists/task-index.js';
import { taskIdAt } from '../../../tasks/record/task-lists.js';
import { TaskOwners } from '../../../tasks/lists/task-owners.js';
import { orHalfDone } from '../half-done.js';
import { OperatorError } from '../operator-error.js';
import type { Output } from '../output.js';

const PAGE = 500;

export interface PurgeOptions {
  readonly tenant: string;
  /** Only tasks of this client and its users; absent: all tasks of the tenant. */
  readonly client?: string;
  /** Only tasks of this user of the client. */
  readonly user?: string;
  readonly context?: string;
  readonly all?: boolean;
  /** Without it nothing is deleted; only the number is printed. */
  readonly yes?: boolean;
  /** Includes unfinished tasks; their runs stop at the next heartbeat. */
  readonly running?: boolean;
}

/**
 * Deletes the tasks of a tenant, a client or a user, in one context or all, with their events, files and webhooks, and
 * the context state of skills. Each task is deleted in one atomic step, so the service may keep running.
 */
export async function purge(service: INestApplicationContext, options: PurgeOptions): Promise<Output> {
  if (options.context === undefined && options.all !== true) {
    throw new OperatorError('Select the tasks with --context <id>, or use --all for every task.');
  }
  if (options.user !== undefined && options.client === undefined) {
    throw new OperatorError('--user needs the client of the user: --client <name>.');
  }
  const owners = await ownersOf(service, options);
  const json = options.yes === true ? await remove(service, owners, options) : await count(service, owners, options);
  return { json, text: textOf(json, options) };
}

interface Purged {
  readonly owners: readonly string[];
  readonly found: number;
  readonly removed: number;
  readonly contexts: number;
  readonly deadLetters: number;
  /** Webhooks of published events. */
  readonly eventWebhooks: number;
}

function textOf(
  { owners, found, removed, contexts, deadLetters, eventWebhooks }: Purged,
  { yes }: PurgeOptions,
): string {
  const whose = owners.length === 0 ? 'no owner' : owners.join(', ');
  if (yes !== true) return `${String(found)} tasks of ${whose} would be deleted. Add --yes to delete them.`;
  const kept = found - removed;
  const rest = kept === 0 ? '' : ` ${String(kept)} unfinished tasks were kept; --running deletes them too.`;
  const webhooks = eventWebhooks === 0 ? '' : `, ${String(eventWebhooks)} webhooks of events`;
  const also = `${String(contexts)} contexts${webhooks} and ${String(deadLetters)} dead letters`;
  return `${String(removed)} tasks of ${whose} deleted, and ${also}.${rest}`;
}

async function ownersOf(service: INestApplicationContext, options: PurgeOptions): Promise<readonly string[]> {
  const owners = await service.get(TaskOwners, { strict: false }).of(options.tenant);
  return owners.filter(isMeant(options));
}

/** Whether an owner of the tenant is selected for deletion. */
function isMeant({ tenant, client, user }: PurgeOptions): (owner: string) => boolean {
  if (client === undefined) return () => true;
  const name = encodeURIComponent(client);
  const users = `${tenant}/user:${name}:`;
  if (user !== undefined) return (owner) => owner === users + encodeURIComponent(user);
  return (owner) => owner === `${tenant}/client:${name}` || owner.startsWith(users);
}

async function count(
  service: INestApplicationContext,
  owners: readonly string[],
  { context }: PurgeOptions,
): Promise<Purged> {
  const index = service.get(TaskIndex, { strict: false });
  let found = 0;
  for (const owner of owners) found += (await index.list(owner, { contextId: context }, { limit: 0 })).total;
  return { owners, found, removed: 0, contexts: 0, deadLetters: 0, eventWebhooks: 0 };
}

async function remove(
  service: INestApplicationContext,
  owners: readonly string[],
  options: PurgeOptions,
): Promise<Purged> {
  const { found: total } = await count(service, owners, options);
  const done = { found: 0, removed: 0, contexts: 0 };
  return orHalfDone(
    () => `${String(done.removed)} of ${String(total)} tasks deleted`,
    async () => {
      await removeTasks(service, owners, { options, done });
      const eventWebhooks = options.context === undefined ? await unsubscribe(service, options) : 0;
      const letters = service.get(DeadLetterStore, { strict: false });
      return { owners, ...done, eventWebhooks, deadLetters: await letters.forgetLost({ tenant: options.tenant }) };
    },
  );
}

/** @param done counts as it goes on */
async function removeTasks(
  service: INestApplicationContext,
  owners: readonly string[],
  {
    options,
    done,
  }: { readonly options: PurgeOptions; readonly done: { found: number; removed: number; contexts: number } },
): Promise<void> {
  const { context, running } = options;
  const tasks = service.get(SweepStore, { strict: false });
  const which = running === true ? 'whatever' : 'finished';
  for (const owner of owners) {
    for await (const ids of pagesOf(service, owner, context)) {
      done.found += ids.length;
      const purged = ids.map(async (id) => {
        if (await tasks.purge(id, which)) done.removed += 1;
      });
      await Promise.all(purged);
    }
    done.contexts += await service.get(ContextStore, { strict: false }).forget(owner, context);
  }
}

/** Removes the webhooks of published events; those of the whole tenant only with all of it. */
async function unsubscribe(service: INestApplicationContext, options: PurgeOptions): Promise<number> {
  const store = service.get(EventWebhooks, { strict: false });
  const isOwner = isMeant(options);
  const all = await store.list(options.tenant);
  const meant = all.filter(({ owner }) => (owner === undefined ? options.client === undefined : isOwner(owner)));
  for (const webhook of meant) await store.remove(options.tenant, webhook);
  return meant.length;
}

async function* pagesOf(
  service: INestApplicationContext,
  owner: string,
  contextId: string | undefined,
): AsyncGenerator<readonly string[], void, void> {
  const index = service.get(TaskIndex, { strict: false });
  for (let after: string | undefined; ;) {
    const { tasks, next } = await index.list(owner, { contextId }, { after, limit: PAGE });
    yield tasks.map(({ entry }) => taskIdAt(entry));
    if (next === undefined) return;
    after = next;
  }
}
