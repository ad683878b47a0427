import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { type Admission, EndpointBreaker, type EndpointSign } from '../../platform/breaker/endpoint-breaker.js';
import { HeldAttempts } from '../../platform/breaker/held-attempts.js';
import type { CommandRedis } from '../../platform/redis/connection/connections.js';
import { RemoteError } from '@parley/client/http/remote-errors.js';
import type { AgentMetrics } from './agent.metrics.js';
import type { RemoteAgent } from './agent-file.js';
import type { RemoteKeys } from './remote.keys.js';

const RULES = {
  breaker: {
    failures: 5,
    sample: 20,
    pauseMs: 10_000,
    longestPauseMs: 120_000,
    // Never disabled: the operator has listed the agent.
    disableAfterMs: Number.MAX_SAFE_INTEGER,
    disableAfterFailures: 0,
  },
  // Each agent is a group of its own.
  slots: { first: 10, most: 20, group: Number.MAX_SAFE_INTEGER },
  // The calls of a dead process hold their slots this long; a lost probe blocks all other calls as long.
  lostMs: 15_000,
} as const;

/**
 * Limits calls to remote agents over all processes (O-76): bounded concurrency, a circuit breaker with one probe per
 * pause, and no call before a `Retry-After` has passed.
 */
export class AgentGate {
  private readonly log = new Logger(AgentGate.name);
  private readonly breaker: EndpointBreaker;
  private readonly held: HeldAttempts;

  constructor(
    private readonly redis: CommandRedis,
    private readonly keys: RemoteKeys,
    private readonly metrics: AgentMetrics,
    clock?: { readonly aheadMs: number },
  ) {
    this.breaker = new EndpointBreaker(redis, RULES, clock);
    this.held = new HeldAttempts(this.breaker, (error) => {
      this.log.warn({ event: 'remote.slots-not-renewed', error: String(error) });
    });
  }

  /** Throws what `attempt` throws, and a RemoteError `left-alone` or `busy` when nothing was sent. */
  async pass<T>(
    { name, maxInFlight }: Pick<RemoteAgent, 'name' | 'maxInFlight'>,
    attempt: () => Promise<T>,
  ): Promise<T> {
    const token = randomUUID();
    const keys = this.keys.gate(name);
    const admission = await this.breaker.admit(keys, token, maxInFlight);
    if (admission.kind !== 'admitted') {
      const refused = notAdmitted(admission);
      this.metrics.called(name, refused.kind, 0);
      throw refused;
    }
    this.held.hold(token, keys);
    let [sign, laterMs, outcome]: [EndpointSign, number, string] = ['none', 0, 'error'];
    const began = performance.now();
    try {
      const value = await attempt();
      [sign, outcome] = ['succeeded', 'ok'];
      return value;
    } catch (error) {
      sign = signOf(error);
      if (error instanceof RemoteError) [laterMs, outcome] = [laterOf(error), error.kind];
      throw error;
    } finally {
      this.held.release(token);
      const ms = performance.now() - began;
      this.metrics.called(name, outcome, ms);
      const change = await this.breaker.report(keys, name, { token, sign, ms, count: 1, laterMs });
      if (change !== undefined) {
        this.metrics.changed(name, change);
        this.log.warn({ event: `remote.agent-${change}`, agent: name });
      }
    }
  }

  /** Runs the preparation of a call. Its failure counts as a call, and leaves the breaker unchanged. */
  async before<T>({ name }: Pick<RemoteAgent, 'name'>, prepare: () => Promise<T>): Promise<T> {
    const began = performance.now();
    try {
      return await prepare();
    } catch (error) {
      this.metrics.called(name, error instanceof RemoteError ? error.kind : 'error', performance.now() - began);
      throw error;
    }
  }

  /** Renews the slots of this process. */
  renew(): Promise<void> {
    return this.held.renew();
  }

  /** Calls to an agent in progress, over all processes. */
  underWay(name: string): Promise<number> {
    const { attempts } = this.keys.gate(name);
    return this.redis.zcard(attempts);
  }

  /** Whether the breaker of an agent is open. */
  async isOpen(name: string): Promise<boolean> {
    const { endpoint } = this.keys.gate(name);
    return (await this.redis.hexists(endpoint, 'open')) === 1;
  }
}

function notAdmitted(admission: Exclude<Admission, { readonly kind: 'admitted' }>): RemoteError {
  switch (admission.kind) {
    case 'busy':
      return tooMany(admission.waitMs);
    case 'later':
      return askedForTime(admission.waitMs);
    case 'open':
      return leftAlone(admission.waitMs);
    case 'disabled':
      return leftAlone(0);
  }
}

function tooMany(retryAfterMs: number): RemoteError {
  return new RemoteError('busy', 'as many calls as it may get are under way', { retryAfterMs });
}

function askedForTime(retryAfterMs: number): RemoteError {
  const text = `it has asked to be left alone for another ${String(Math.ceil(retryAfterMs / 1000))} s`;
  return new RemoteError('busy', text, { retryAfterMs });
}

function leftAlone(retryAfterMs: number): RemoteError {
  const seconds = Math.ceil(retryAfterMs / 1000);
  const text = `its calls keep failing, and it is left alone for ${String(seconds)} s`;
  return new RemoteError('left-alone', text, { retryAfterMs });
}

/** The effect of a failed call on the agent's breaker. An agent that refuses or asks for time is alive. */
function signOf(error: unknown): EndpointSign {
  if (!(error instanceof RemoteError)) return 'none';
  switch (error.kind) {
    case 'unreachable':
    case 'timeout':
    case 'invalid-answer':
      return 'failed';
    case 'busy':
      return error.status === undefined || error.status >= 500 ? 'failed' : 'refused';
    case 'auth':
    case 'refused':
      return 'refused';
    case 'blocked':
    case 'unsupported':
    case 'left-alone':
      return 'none';
  }
}

/** `Retry-After` of an agent without capacity applies to all calls to it. */
function laterOf({ kind, retryAfterMs = 0 }: RemoteError): number {
  return kind === 'busy' ? retryAfterMs : 0;
}
