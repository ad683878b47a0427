import type { INestApplicationContext } from '@nestjs/common';
import { type DeadLetterFilter, DeadLetterStore } from '../../webhooks/dead-letter/dead-letter.store.js';
import { orHalfDone } from './half-done.js';
import { OperatorError } from './operator-error.js';
import { counted, type Output, table } from './output.js';
import { wholeNumber } from './tasks/tasks.js';
import { readTimeOrDay } from '@parley/protocol/model/timestamp.js';

export interface WebhooksOptions {
  readonly tenant?: string;
  readonly origin?: string;
  readonly task?: string;
  readonly since?: string;
  readonly limit: string;
}

/** Lists dead letters, newest first. */
export async function listWebhooks(service: INestApplicationContext, options: WebhooksOptions): Promise<Output> {
  const store = service.get(DeadLetterStore, { strict: false });
  const letters = await store.list(filterOf(options), wholeNumber(options.limit));
  const total = await store.count();
  const rows = letters.map(({ at, origin, reason, attempts, tenant, name }) => [
    ...[at, origin, reason, String(attempts), tenant, name],
  ]);
  const text = table(['at', 'receiver', 'reason', 'attempts', 'tenant', 'name'], rows, 'No dead letters.');
  return { json: { total, deadLetters: letters }, text: `${text}\n${String(letters.length)} of ${String(total)}` };
}

/** Redelivers dead letters, oldest first. */
export async function redriveWebhooks(service: INestApplicationContext, options: WebhooksOptions): Promise<Output> {
  const store = service.get(DeadLetterStore, { strict: false });
  const done = { revived: 0, gone: 0 };
  const json = await orHalfDone(
    () => `${counted(done.revived, 'webhook')} redelivered, ${String(done.gone)} skipped`,
    () => store.redrive(filterOf(options), wholeNumber(options.limit), done),
  );
  const { revived, gone } = json;
  const text = `Redelivering ${counted(revived, 'webhook')}; ${String(gone)} skipped (task, webhook or events deleted).`;
  return { json, text };
}

function filterOf({ tenant, origin, task, since }: WebhooksOptions): DeadLetterFilter {
  const from = since === undefined ? undefined : readTimeOrDay(since);
  if (since !== undefined && from === undefined)
    throw new OperatorError(`${since} is not a time; use the format 2026-01-31T08:00:00Z.`);
  return {
    ...(tenant === undefined ? {} : { tenant }),
    ...(origin === undefined ? {} : { origin: originOf(origin) }),
    ...(task === undefined ? {} : { taskId: task }),
    ...(from === undefined ? {} : { since: from }),
  };
}

function originOf(text: string): string {
  if (!URL.canParse(text)) throw new OperatorError(`${text} is not a URL; use the format https://receiver.example.`);
  return new URL(text).origin;
}
