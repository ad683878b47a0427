import { randomUUID } from 'node:crypto';
import type { Admission, AttemptReport, EndpointSign } from '../../platform/breaker/endpoint-breaker.js';

/** The result of requesting a slot for an attempt. */
export type Passage<T> =
  | { readonly kind: 'attempted'; readonly attempt: T }
  /** No slot is free now: nothing was sent, and no attempt is counted. */
  | { readonly kind: 'wait'; readonly ms: number }
  /** The endpoint is disabled: nothing is sent to it any more. */
  | { readonly kind: 'disabled' };

/** The operations of the gate that a visit uses. */
export interface VisitedEndpoint {
  /** Enters the lane of this process; undefined when it is full. */
  readonly enter: () => (() => void) | undefined;
  /** Whether the endpoint succeeded recently. */
  readonly isTrusted: () => boolean;
  readonly admit: (token: string) => Promise<Admission>;
  readonly report: (attempt: AttemptReport) => Promise<void>;
}

/** A slot of an endpoint and the attempts made in it so far, all successful. */
interface HeldSlot {
  readonly token: string;
  readonly leaveLane: () => void;
  readonly since: number;
  successes: number;
  /** Duration of the latest attempt. */
  ms: number;
}

/** Delay of an attempt when the slow lane is full. */
const LANE_WAIT_MS = 250;
/**
 * A slot held for longer starts no further attempt: together with the longest attempt this is below its lease of 20 s.
 */
const HELD_MS = 4_000;

/**
 * Attempts of one delivery to one endpoint. Keeps a slot between events while they succeed, which saves two scripts per
 * event. Reports every other outcome at once.
 */
export class EndpointVisit {
  private held: HeldSlot | undefined;

  constructor(private readonly endpoint: VisitedEndpoint) {}

  /** Throws what `attempt` throws. */
  async pass<T extends { readonly sign: EndpointSign }>(attempt: () => Promise<T>): Promise<Passage<T>> {
    if (this.held !== undefined && performance.now() - this.held.since > HELD_MS) await this.leave();
    const slot = this.held ?? (await this.enter());
    if ('kind' in slot) return slot;
    let sign: EndpointSign = 'none';
    const began = performance.now();
    try {
      const made = await attempt();
      sign = made.sign;
      return { kind: 'attempted', attempt: made };
    } finally {
      await this.note(slot, sign, performance.now() - began);
    }
  }

  /** Releases the slot. */
  async leave(): Promise<void> {
    const { held } = this;
    if (held !== undefined) await this.giveBack(held, { sign: 'succeeded', ms: held.ms, count: held.successes });
  }

  private async giveBack(slot: HeldSlot, outcome: Omit<AttemptReport, 'token'>): Promise<void> {
    this.held = undefined;
    try {
      await this.endpoint.report({ token: slot.token, ...outcome });
    } finally {
      slot.leaveLane();
    }
  }

  private async enter(): Promise<HeldSlot | Passage<never>> {
    const leaveLane = this.endpoint.enter();
    if (leaveLane === undefined) return { kind: 'wait', ms: LANE_WAIT_MS * (1 + Math.random()) };
    const token = randomUUID();
    let isAdmitted = false;
    try {
      const admission = await this.endpoint.admit(token);
      if (admission.kind === 'disabled') return { kind: 'disabled' };
      // Later than the given time by a random part, to spread the retries.
      if (admission.kind !== 'admitted') return { kind: 'wait', ms: admission.waitMs * (1 + 0.1 * Math.random()) };
      isAdmitted = true;
      this.held = { token, leaveLane, since: performance.now(), successes: 0, ms: 0 };
      return this.held;
    } finally {
      if (!isAdmitted) leaveLane();
    }
  }

  private async note(slot: HeldSlot, sign: EndpointSign, ms: number): Promise<void> {
    if (sign === 'succeeded') {
      slot.successes += 1;
      slot.ms = ms;
      if (!this.endpoint.isTrusted()) await this.leave();
      return;
    }
    if (slot.successes > 0) await this.leave();
    await this.giveBack(slot, { sign, ms, count: 1 });
  }
}
