import type { Block } from '../../../src/blocks/block-file.js';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Metrics } from '../../../src/platform/metrics/metrics.js';
import { RedisClock } from '../../../src/platform/redis/redis-clock.js';
import { connect, type RedisClient } from '../../../src/platform/redis/connection/redis-client.js';
import type { AgentHttp, AgentRequest } from '@parley/client/http/agent-http.js';
import { AgentMetrics } from '../../../src/remote-agents/directory/agent.metrics.js';
import { AgentDirectory } from '../../../src/remote-agents/directory/agent-directory.js';
import type { RemoteAgent } from '../../../src/remote-agents/directory/agent-file.js';
import { AgentGate } from '../../../src/remote-agents/directory/agent-gate.js';
import { CardResolver } from '../../../src/remote-agents/directory/card-resolver.js';
import { RemoteKeys } from '../../../src/remote-agents/directory/remote.keys.js';
import { RemoteError } from '@parley/client/http/remote-errors.js';
import { testRedisUrl } from '../../kit/redis/shared-redis.js';

let redis: RedisClient;

const agentOf = (name: string): RemoteAgent => ({
  ...{ name, card: `https://${name}.example`, auth: { type: 'bearer', token: `token-of-${name}` }, origins: [] },
  ...{ timeoutMs: 1000, maxInFlight: 20, resend: 'safe', mode: 'auto', signature: 'off' },
  ...{ keys: undefined, skill: undefined, exposed: [] },
});

/** Agents whose cards name an interface of their own and one at the other agent. */
function directoryOf(
  names: readonly string[],
  cardsAnswer: () => boolean = () => true,
  blocked: readonly string[] = [],
) {
  const asked: AgentRequest[] = [];
  const answerOf = ({ url, body }: AgentRequest): unknown => {
    if (body !== undefined) {
      const { id } = JSON.parse(body) as { id: string };
      return { jsonrpc: '2.0', id, result: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } } };
    }
    const own = new URL(url).origin;
    const others = names.map((name) => `https://${name}.example`).filter((origin) => origin !== own);
    const interfaces = [...others, own].map((origin) => ({
      url: origin,
      protocolBinding: 'JSONRPC',
      protocolVersion: '1.0',
    }));
    return { name: own, supportedInterfaces: interfaces };
  };
  const http: AgentHttp = {
    send: async (request) => {
      asked.push(request);
      if (request.body === undefined && !cardsAnswer()) throw new RemoteError('unreachable', 'no');
      return { status: 200, headers: {}, body: bodyOf(answerOf(request)) };
    },
  };
  const keys = new RemoteKeys(`test-${randomUUID()}`);
  const agents = names.map(agentOf);
  const metrics = new Metrics();
  const gate = new AgentGate(redis, keys, new AgentMetrics(metrics));
  const directory = new AgentDirectory(agents, new CardResolver(redis, keys, http, new RedisClock()), http, gate, {
    ofAgent: (name) => (blocked.includes(name) ? BLOCK : undefined),
  });
  return { asked, directory, gate, metrics };
}

async function* bodyOf(value: unknown): AsyncGenerator<Buffer> {
  yield Buffer.from(JSON.stringify(value));
}

const BLOCK: Block = { reason: 'breached', until: Infinity, tasks: 'cancel' };

describe(AgentDirectory.name, () => {
  beforeAll(() => {
    redis = connect(testRedisUrl(), 'command');
  });

  afterAll(() => {
    redis.disconnect();
  });

  it('sends a blocked agent nothing, not even for its card, and calls it again once the entry has gone (IDENT-01)', async () => {
    const blocked = ['a'];
    const { asked, directory, gate } = directoryOf(['a', 'b'], () => true, blocked);
    const [a, b] = directory.agents;
    const call = (agent = a!): Promise<unknown> => directory.call(agent, ({ client }) => client.getTask({ id: 't' }));
    await expect(call()).rejects.toMatchObject({ kind: 'blocked', isUnsent: true, isRetryable: false });
    await call(b);
    expect([asked.some(({ url }) => url.includes('a.example')), await gate.isOpen('a')]).toEqual([false, false]);
    blocked.pop();
    await call();
    expect(asked.some(({ url }) => url.includes('a.example'))).toBe(true);
  });

  it('O-66: credentials of an agent go to its own origins only, whatever interfaces its card names, and not with its card', async () => {
    const { asked, directory } = directoryOf(['a', 'b']);
    for (const agent of directory.agents) await directory.call(agent, ({ client }) => client.getTask({ id: 't' }));
    const sent = asked.map(
      ({ method, url, headers }) => `${method} ${new URL(url).host} ${headers.authorization ?? '-'}`,
    );
    expect(sent).toEqual([
      'GET a.example -',
      'POST a.example Bearer token-of-a',
      'GET b.example -',
      'POST b.example Bearer token-of-b',
    ]);
  });

  it('O-76: a card that could not be fetched is not a failure of each call that waited for it', async () => {
    const { directory, gate, metrics } = directoryOf(['a'], () => false);
    const [agent] = directory.agents;
    const calls = Array.from({ length: 20 }, () => directory.call(agent!, ({ client }) => client.getTask({ id: 't' })));
    expect((await Promise.allSettled(calls)).every(({ status }) => status === 'rejected')).toBe(true);
    expect(await gate.isOpen('a')).toBe(false);
    expect(await metrics.registry.metrics()).toContain(
      'a2a_agent_call_duration_seconds_count{agent="a",outcome="unreachable"} 20',
    );
  });
});
