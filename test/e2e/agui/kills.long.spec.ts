import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { parleyAgent } from '@parley/client/agui/parley-agent.js';
import type { Task } from '@parley/protocol/model/task.js';
import type { ServiceProcess } from '../../kit/app/service-process.mjs';
import { useServices } from '../../kit/app/started-services.js';
import { CLIENTS, say, textsOf, VERSIONS } from '../../kit/agui/pages.js';
import { RpcClient } from '../../kit/callers/rpc-client.js';
import { testRedisUrl } from '../../kit/redis/shared-redis.js';

const KILLS = Number(process.env.AGUI_KILLS ?? 3);
const REPLICAS = 3;

interface Replica {
  service: ServiceProcess;
  url: string;
}

describe('pages over replicas that are killed (AG-UI)', () => {
  const start = useServices();

  it('shows the text of the artifact, with one end, whichever replica is lost (AGUI-21, AGUI-60)', async () => {
    const variables = {
      ...{ AGUI: 'true', KEY_PREFIX: `test-${randomUUID()}`, REDIS_URL: testRedisUrl(), AUDIT_LOG: '/dev/null' },
      SECRET_KEYS: `k:${randomBytes(32).toString('base64')}`,
    };
    const aReplica = async (): Promise<Replica> => {
      const service = start(variables);
      return { service, url: await service.ready() };
    };
    const replicas = await Promise.all(Array.from({ length: REPLICAS }, aReplica));
    const any = (): Replica => {
      const one = replicas[Math.floor(Math.random() * REPLICAS)];
      if (one === undefined) throw new Error('There is no replica');
      return one;
    };
    /** What a balancer does: each request goes to some replica, that may be gone. */
    const balanced = (url: string, init: RequestInit): Promise<Response> =>
      fetch(any().url + new URL(url).pathname, init);

    let kills = 0;
    const killing = (async () => {
      while (kills < KILLS) {
        await pause(500 + Math.random() * 1500);
        const at = Math.floor(Math.random() * REPLICAS);
        await replicas[at]?.service.stop('SIGKILL');
        kills += 1;
        replicas[at] = await aReplica();
      }
    })();
    const pages = VERSIONS.flatMap((version) => [version, version, version]);
    const seen: { tasks: string[]; ends: number[]; texts: unknown[] } = { tasks: [], ends: [], texts: [] };
    while (kills < KILLS) {
      await Promise.all(
        pages.map(async (version) => {
          const Agent = parleyAgent(CLIENTS[version] as never) as unknown as (typeof CLIENTS)['1.0.0'];
          const page = new Agent({ url: 'http://balancer/agui/countdown', threadId: randomUUID(), fetch: balanced });
          const { events, error } = await say(page, '6');
          expect(error).toBeUndefined();
          const [started] = events as unknown as readonly { metadata: { parley: { taskId: string } } }[];
          seen.tasks.push(started?.metadata.parley.taskId ?? '');
          seen.ends.push(events.filter(({ type }) => /^RUN_(FINISHED|ERROR)$/.test(type)).length);
          seen.texts.push(textsOf(page));
        }),
      );
    }
    await killing;
    const rpc = new RpcClient(any().url);
    const stored = await Promise.all(seen.tasks.map((id) => rpc.task('GetTask', { id })));
    expect(seen.texts).toEqual(stored.map(textOf));
    expect(stored.map(({ status }) => status.state)).toEqual(stored.map(() => 'TASK_STATE_COMPLETED'));
    expect(seen.ends).toEqual(stored.map(() => 1));
    expect(kills).toBeGreaterThanOrEqual(KILLS);
  }, 900_000);
});

function textOf({ artifacts = [] }: Task): readonly string[] {
  return artifacts.map(({ parts }) => parts.map((part) => ('text' in part ? part.text : '')).join(''));
}
