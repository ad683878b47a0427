import type { EndCaller } from '../../task/run-caller.js';
import { WaitingCaller } from './waiting-caller.js';

/** A task as its run has ended it: its JSON up to its history. */
export interface RemoteEnd {
  readonly head: string;
}

/** Waits for a run in another process. */
export class RemoteCaller extends WaitingCaller<RemoteEnd> implements EndCaller {
  ended(head: string): void {
    this.settle({ head });
  }
}
