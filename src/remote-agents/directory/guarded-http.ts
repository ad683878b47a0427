import { BlockedAddressError, EgressTimeoutError, EgressTransportError } from '../../outbound/egress.errors.js';
import type { GuardedClient } from '../../outbound/guarded-client.js';
import type { AgentAnswer, AgentHttp, AgentRequest } from '@parley/client/http/agent-http.js';
import { RemoteError } from '@parley/client/http/remote-errors.js';

/** Requests to agents through the egress guard. */
export class GuardedHttp implements AgentHttp {
  constructor(private readonly egress: GuardedClient) {}

  async send({ deadlines, signal, ...request }: AgentRequest): Promise<AgentAnswer> {
    try {
      const answer = await this.egress.open({ ...request, deadlines, ...(signal === undefined ? {} : { signal }) });
      return { ...answer, body: translated(answer.body) };
    } catch (error) {
      throw remoteErrorOf(error);
    }
  }
}

async function* translated(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } catch (error) {
    throw remoteErrorOf(error);
  }
}

function remoteErrorOf(cause: unknown): unknown {
  if (cause instanceof BlockedAddressError) {
    return new RemoteError('blocked', `This service may not call the agent's address (${cause.reason})`, { cause });
  }
  if (cause instanceof EgressTimeoutError) {
    return new RemoteError('timeout', `The agent did not answer in time (${cause.phase})`, { cause });
  }
  if (cause instanceof EgressTransportError) {
    return new RemoteError('unreachable', `The agent could not be reached (${cause.code})`, { cause });
  }
  return cause;
}
