import { createHash } from 'node:crypto';
import type { SharedState } from '@parley/sdk';
import { folded } from '../text/folded.js';
import type { Invoice } from '../invoice.js';
import type { Finding } from './rule.js';

/** Record of an invoice in its context. */
interface Remembered {
  /** The task that the caller sees: skills of one agent check the same invoice. */
  readonly taskId: string;
  readonly total: string;
}

/**
 * Remembers the invoice in its context and reports when another task has brought the same seller's invoice of that number
 * before. The same task may ask again: a re-run after a crash finds its own entry.
 */
export async function rememberedDuplicate(
  invoice: Invoice,
  {
    shared,
    rootId: taskId,
  }: { readonly shared: (scope: 'context') => Pick<SharedState, 'setIfAbsent'>; readonly rootId: string },
): Promise<readonly Finding[]> {
  const key = keyOf(invoice);
  if (key === undefined) return [];
  const total = invoice.totals.payable?.value ?? invoice.totals.taxInclusive?.value ?? '';
  const own: Remembered = { taskId, total };
  const first = await shared('context').setIfAbsent(key, own);
  return !isRemembered(first) || first.taskId === taskId ? [] : [duplicate(invoice, first, total)];
}

function duplicate({ number }: Invoice, before: Remembered, total: string): Finding {
  const same = before.total === total ? 'with the same total' : `with another total (${before.total})`;
  return {
    rule: 'PARLEY-DUPLICATE',
    severity: 'error',
    path: 'number',
    message: `This seller's invoice of that number was already sent in task ${before.taskId}, ${same}.`,
    ...(number === undefined ? {} : { actual: number.value }),
  };
}

/** Seller and number, spelled alike however they are written; a hash, so that the state holds no names. */
function keyOf({ seller, number, kind }: Invoice): string | undefined {
  const who = seller.vatId?.value ?? seller.registrationId?.value ?? seller.taxId?.value ?? seller.name?.value;
  if (who === undefined || number === undefined) return undefined;
  const spelled = [kind, who, number.value].map((text) => folded(text).replace(/[^\p{L}\p{N}]/gu, '')).join('|');
  return `invoice:${createHash('sha256').update(spelled).digest('hex').slice(0, 32)}`;
}

function isRemembered(value: unknown): value is Remembered {
  return typeof value === 'object' && value !== null && 'taskId' in value && 'total' in value;
}
