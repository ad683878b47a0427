import { Budget } from '../../platform/traffic/budget.js';
import { partOfRoom } from '../../platform/traffic/process-memory.js';
import type { CallLimits } from '../call-limits.js';
import { quotaExceeded } from './quota.js';

const RETRY_AFTER_S = 5;

/** Bytes in progress in this process, bounded by its memory; a client gets half of each budget. */
export class TrafficBudgets {
  /** Bodies of requests, from before they are read until they are stored or refused. */
  readonly bodies: Budget;
  /** Large answers, from before they are fetched until their readers have received them. */
  readonly answers: Budget;

  constructor(private readonly limits: Pick<CallLimits, 'countRefusal'>) {
    this.bodies = this.budget('request bytes', partOfRoom(1 / 4, 32, 512));
    this.answers = this.budget('answer bytes', partOfRoom(1 / 3, 64, 512));
  }

  private budget(subject: string, process: number): Budget {
    const client = Math.floor(process / 2);
    return new Budget({ process, client }, () => {
      const refusal = quotaExceeded({ subject, limit: client, retryAfterSeconds: RETRY_AFTER_S });
      this.limits.countRefusal(refusal);
      return refusal;
    });
  }
}

/** The name of a client in a budget. */
export function clientName({ tenant, client }: { readonly tenant: string; readonly client: string }): string {
  return JSON.stringify([tenant, client]);
}
