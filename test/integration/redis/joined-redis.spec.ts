import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { JoinedRedis } from '../../../src/platform/redis/joined-redis.js';
import { testRedisUrl } from '../../kit/redis.js';

const ANSWER_MS = 100;

describe(JoinedRedis.name, () => {
  let redis: JoinedRedis;

  beforeEach(async () => {
    redis = new JoinedRedis(testRedisUrl(), { commandTimeout: ANSWER_MS });
    await redis.ping();
  });

  afterEach(() => {
    redis.disconnect();
  });

  it('takes an answer that came while the process was busy for longer than it may take', async () => {
    const answer = redis.ping();
    await new Promise(setImmediate);
    const until = performance.now() + 2 * ANSWER_MS;
    while (performance.now() < until);
    expect(await answer).toBe('PONG');
  });

  it('gives each command its own time', async () => {
    const sent = performance.now();
    const first = redis.blpop('joined-redis:nothing', 1).catch(() => performance.now() - sent);
    await new Promise((resolve) => setTimeout(resolve, ANSWER_MS / 2));
    const second = redis.ping().catch(() => performance.now() - sent);
    const [firstMs, secondMs] = [Number(await first), Number(await second)];
    expect(firstMs).toBeGreaterThanOrEqual(ANSWER_MS - 1);
    expect(secondMs).toBeGreaterThanOrEqual(ANSWER_MS * 1.5 - 1);
  });

  it('gives up a command that Redis does not answer in time', async () => {
    const answer = redis.blpop('joined-redis:nothing', 1);
    await expect(answer).rejects.toThrow('Command timed out');
  });
});
