import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { completed, type SkillEvent } from '@parley/sdk/skill/events.js';
import { Skill, type SkillContext, type SkillHandler } from '@parley/sdk/skill/skill.js';
import { connect } from '../../../src/platform/redis/connection/redis-client.js';
import { eventually } from '../../kit/run/eventually.js';
import { RedisServer } from '../../kit/redis/redis-server.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';
import { TaskStores } from '../../kit/tasks/task-stores.js';

/** Runs at once of each process. */
const PLACES = 4;
const BACKLOG = 400;

/** The tenants of the runs, in the order in which they began. */
const begun: string[] = [];

@Skill({ id: 'brief', name: 'Brief', description: 'For tests', tags: [] })
class BriefSkill implements SkillHandler {
  async *run({ principal }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    begun.push(principal.tenant);
    await new Promise((resolve) => setTimeout(resolve, 5));
    yield completed('Done');
  }
}

describe('fairness over two processes that begin runs themselves', () => {
  const keyPrefix = `test-${randomUUID()}`;
  let redis: RedisServer;
  let stores: TaskStores;
  let apps: RunningApp[];

  beforeAll(async () => {
    redis = await RedisServer.start();
    stores = new TaskStores(connect(redis.url, 'command'), { keyPrefix });
    const routing = { skillId: 'brief' };
    for (let at = 0; at < BACKLOG; at += 50) {
      await Promise.all(Array.from({ length: 50 }, () => stores.submitted({ tenant: 'default', routing })));
    }
    const variables = {
      ...{ REDIS_URL: redis.url, KEY_PREFIX: keyPrefix, DEFAULT_SKILL: 'brief' },
      ...{ WORKER_CONCURRENCY: String(PLACES), ROLE: 'all' },
    };
    apps = await Promise.all([1, 2].map(() => runApp(variables, { skills: [BriefSkill] })));
  });

  afterAll(async () => {
    await Promise.all(apps.map((app) => app.close()));
    stores.redis.disconnect();
    await redis.stop();
  });

  it("begins another tenant's first run before many of the one that waits, whose new runs overtake nobody", async () => {
    await eventually(() => expect(begun.length).toBeGreaterThan(50), { timeoutMs: 10_000 });
    const before = begun.length;
    const { id } = await stores.submitted({ tenant: 'other', routing: { skillId: 'brief' } });
    const newest = await new RpcClient(apps[0]?.url ?? '').task('SendMessage', {
      ...aMessage('go'),
      configuration: { returnImmediately: true },
    });

    await eventually(() => expect(begun).toContain('other'), { timeoutMs: 10_000, intervalMs: 2 });
    // Each place may have taken runs that it had found next before the other tenant came.
    expect(begun.indexOf('other') - before).toBeLessThanOrEqual(8 * PLACES);
    expect((await stores.task(newest.id)).status.state).toBe('TASK_STATE_SUBMITTED');
    await eventually(async () => expect((await stores.task(id)).status.state).toBe('TASK_STATE_COMPLETED'));
    await eventually(() => expect(begun).toHaveLength(BACKLOG + 2), { timeoutMs: 25_000 });
  });
});
