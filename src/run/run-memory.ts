import { Injectable } from '@nestjs/common';
import { Policies } from '../policy/policies.js';
import { ContextStore } from '../task/context.store.js';
import { SenderStore } from '../task/sender.store.js';
import { TreeStore } from '../task/tree.store.js';

/** What a run has besides the task itself: context state, the senders of its messages, its children, and the policy. */
@Injectable()
export class RunMemory {
  constructor(
    readonly contexts: ContextStore,
    readonly senders: SenderStore,
    readonly trees: TreeStore,
    readonly policies: Policies,
  ) {}
}
