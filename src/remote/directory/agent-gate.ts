import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { EndpointBreaker, type EndpointSign } from '../../platform/breaker/endpoint-breaker.js';
import type { CommandRedis } from '../../platform/redis/connections.js';
import { RemoteError } from '../client/remote-errors.js';
import type { RemoteAgent } from './agent-file.js';
import type { RemoteKeys } from './remote.keys.js';

const RULES = {
  breaker: {
    failures: 5,
    sample: 20,
    pauseMs: 10_000,
    longestPauseMs: 120_000,
    // The operator has listed the agent: it is tried again for ever.
    disableAfterMs: Number.MAX_SAFE_INTEGER,
    disableAfterFailures: 0,
  },
  // An agent is a group of its own.
  slots: { first: 10, most: 20, group: Number.MAX_SAFE_INTEGER },
  // Longer than the deadline of a call.
  lostMs: 90_000,
} as const;

/**
 * Lets calls through to remote agents: at most so many at once, and none to an agent whose calls keep failing but one probe after
 * each pause. All processes share it (O-76).
 */
export class AgentGate {
  private readonly log = new Logger(AgentGate.name);
  private readonly breaker: EndpointBreaker;

  constructor(
    redis: CommandRedis,
    private readonly keys: RemoteKeys,
    clock?: { readonly aheadMs: number },
  ) {
    this.breaker = new EndpointBreaker(redis, RULES, clock);
  }

  /** Throws what `attempt` throws, and a RemoteError `left-alone` or `busy` where nothing was sent. */
  async pass<T>(
    { name, maxInFlight }: Pick<RemoteAgent, 'name' | 'maxInFlight'>,
    attempt: () => Promise<T>,
  ): Promise<T> {
    const token = randomUUID();
    const keys = this.keys.gate(name);
    const admission = await this.breaker.admit(keys, token, maxInFlight);
    if (admission.kind !== 'admitted') {
      throw admission.kind === 'busy'
        ? tooMany(admission.waitMs)
        : leftAlone('waitMs' in admission ? admission.waitMs : 0);
    }
    let sign: EndpointSign = 'none';
    const began = performance.now();
    try {
      const value = await attempt();
      sign = 'succeeded';
      return value;
    } catch (error) {
      sign = signOf(error);
      throw error;
    } finally {
      const change = await this.breaker.report(keys, name, { token, sign, ms: performance.now() - began, count: 1 });
      if (change !== undefined) this.log.warn({ event: `remote.agent-${change}`, agent: name });
    }
  }
}

function tooMany(retryAfterMs: number): RemoteError {
  return new RemoteError('busy', 'as many calls as it may get are under way', { retryAfterMs });
}

function leftAlone(retryAfterMs: number): RemoteError {
  const seconds = Math.ceil(retryAfterMs / 1000);
  const text = `its calls keep failing, and it is left alone for ${String(seconds)} s`;
  return new RemoteError('left-alone', text, { retryAfterMs });
}

/** What a failed call says of its agent. One that answers with a refusal, or asks for time, is alive. */
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
