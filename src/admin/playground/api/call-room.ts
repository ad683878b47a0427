import { Injectable } from '@nestjs/common';
import { CallerGate } from '../../../auth/caller.gate.js';
import type { Principal } from '../../../auth/principal.js';
import { CallerSlots } from '../../../http/caller-slots.js';

/** Additional cost of an outgoing call, in requests of the console's rate. */
const COST = 4;

/** Calls to other agents from playgrounds. Each holds at most 8 MiB of an answer. */
@Injectable()
export class CallSlots extends CallerSlots {
  constructor() {
    super({ subject: 'calls to other agents', most: 50, mostOfTenant: 25, mostOfCaller: 4 });
  }
}

/** Limits calls to other agents: by the console's rate, and by concurrency. */
@Injectable()
export class CallRoom {
  constructor(
    private readonly gate: CallerGate,
    private readonly slots: CallSlots,
  ) {}

  /** Takes a slot for a call and returns the function that frees it, to be called once. @throws RateLimitedError */
  async take(caller: Principal): Promise<() => void> {
    await this.gate.countConsole(caller, COST);
    return this.slots.take(caller);
  }
}
