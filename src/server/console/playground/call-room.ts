import { Injectable } from '@nestjs/common';
import { CallerGate } from '../../../security/auth/caller.gate.js';
import type { Principal } from '../../../security/auth/principal.js';
import { CallSlots } from '../feed/caller-slots.js';

/** A call out costs so many requests of the console's rate, beside the one that asks for it. */
const COST = 4;

/** Bounds calls to other agents: by the rate of the console, and by how many are under way. */
@Injectable()
export class CallRoom {
  constructor(
    private readonly gate: CallerGate,
    private readonly slots: CallSlots,
  ) {}

  /** Takes room for a call and gives the function that frees it; it is called once. @throws RateLimitedError */
  async take(caller: Principal): Promise<() => void> {
    await this.gate.countConsole(caller, COST);
    return this.slots.take(caller);
  }
}
