import { describe, expect, it } from '@jest/globals';
import { queuePrefix } from '../../../src/platform/queue/wake-up-queue.js';
import { connect } from '../../../src/platform/redis/redis-client.js';
import { endMigration } from '../../../src/platform/redis/stored-schema.js';
import { StoreMigration } from '../../../src/task/migration/store-migration.js';
import { TASK_DEFAULTS } from '../../../src/task/task.options.js';
import { FIXTURE_VARIABLES } from '../../kit/migration/callers.js';
import { interview } from '../../kit/migration/interview.js';
import { LimitedSkill, PlaySkill } from '../../kit/migration/play.skill.js';
import { commandsOf, readAnswers, readFixture, renamed, shifted } from '../../kit/migration/stored-fixture.js';
import { RedisCluster } from '../../kit/redis-cluster.js';
import { runApp } from '../../kit/running-app.js';

const PREFIX = 'migrated';

describe(StoreMigration.name, () => {
  it('brings the data of a Redis Cluster over, and callers get the answers of the old service', async () => {
    const cluster = await RedisCluster.start();
    const redis = connect(cluster.url, 'blocking');
    try {
      const fixture = await readFixture();
      for (const key of renamed(fixture.keys, PREFIX)) {
        for (const command of commandsOf(shifted(key, Date.now() - fixture.savedAt))) await redis.call(...command);
      }
      const migration = new StoreMigration(redis, {
        options: { ...TASK_DEFAULTS, keyPrefix: PREFIX },
        limited: new Set(['limited']),
        jobPrefixes: [queuePrefix(PREFIX), queuePrefix(PREFIX, 'push')],
        isDryRun: false,
      });
      expect(await migration.left()).toBe(fixture.tasks.length);
      expect(await migration.run()).toMatchObject({ tasks: fixture.tasks.length, waiting: 6 });
      expect(await migration.left()).toBe(0);
      await endMigration(redis, PREFIX);
      const variables = { ...FIXTURE_VARIABLES, ROLE: 'api', KEY_PREFIX: PREFIX, REDIS_URL: cluster.url };
      const api = await runApp(variables, { skills: [PlaySkill, LimitedSkill] });
      try {
        expect(await interview(api.url, fixture.tasks)).toEqual(await readAnswers());
      } finally {
        await api.close();
      }
    } finally {
      redis.disconnect();
      await cluster.stop();
    }
  }, 120_000);
});
