import { Injectable } from '@nestjs/common';
import { ContextStore } from '../task/context.store.js';
import { SenderStore } from '../task/sender.store.js';

/** What a skill may ask about its run beside the task itself: values of its context, and who sent its messages. */
@Injectable()
export class RunMemory {
  constructor(
    readonly contexts: ContextStore,
    readonly senders: SenderStore,
  ) {}
}
