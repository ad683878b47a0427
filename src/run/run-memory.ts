import { Injectable } from '@nestjs/common';
import { ContextStore } from '../task/context.store.js';
import { SenderStore } from '../task/sender.store.js';

/** Stored values for a run besides the task itself: context state, and the senders of its messages. */
@Injectable()
export class RunMemory {
  constructor(
    readonly contexts: ContextStore,
    readonly senders: SenderStore,
  ) {}
}
