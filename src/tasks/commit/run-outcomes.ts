import type { ClaimedRun } from './claimed-run.js';

export type ClaimOutcome =
  | { readonly kind: 'claimed'; readonly run: ClaimedRun }
  /** Nothing to do: the task is gone or finished, or this run was claimed or replaced before. */
  | { readonly kind: 'gone' | 'terminal' | 'stale' };

export interface Committed {
  readonly kind: 'committed';
  readonly seq: number;
  /** Runs in the fair queues after the end of a child. */
  readonly runs?: number;
  /** The fence of the parent's run, if that is in this process and the end of this child settled a wait of it. */
  readonly parentFence?: number;
}

export type CommitOutcome =
  | Committed
  /** The turn ended, but messages wait: the next turn is in the fair queue, under this fence. */
  | { readonly kind: 'next-turn'; readonly fence: number; readonly position: number }
  /** The caller canceled the task: nothing was written. */
  | { readonly kind: 'cancel' }
  /** The task would exceed `mostBytes`: nothing was written, and the run can only end. */
  | { readonly kind: 'too-large' }
  /** Another run has the task, or it has ended or is deleted: nothing was written, and this run must stop. */
  | { readonly kind: 'lost' };

/** The result of a lease renewal. */
export type Beat = 'ok' | 'cancel' | 'lost';
