import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createHash } from 'node:crypto';
import { JoinedRedis } from '../../../src/platform/redis/connection/joined-redis.js';
import { testRedisUrl } from '../../kit/redis/shared-redis.js';

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

  it('writes the commands of a turn in their order, at once', async () => {
    const written = jest.spyOn(redis.stream, 'uncork');
    const answers = Array.from({ length: 40 }, () => redis.incr('joined-redis:count'));
    expect(await Promise.all(answers)).toEqual(Array.from({ length: 40 }, (_, at) => at + 1));
    expect(written).toHaveBeenCalledTimes(1);
    await redis.del('joined-redis:count');
  });

  describe('runs a script by its hash', () => {
    const SCRIPT = 'return {#KEYS, KEYS, ARGV}';
    const sha = createHash('sha1').update(SCRIPT).digest('hex');
    const texts = ['', ' ', 'ü€😀', '\r\n$1\r\n', '\0', 'x'.repeat(100_000)];

    beforeEach(() => redis.script('LOAD', SCRIPT));

    it('with texts and numbers of all kinds', async () => {
      const numbers = [0, -1, 1.5, 2 ** 53];
      expect(await redis.evalsha(sha, 2, 'a', 'b', ...texts, ...numbers)).toEqual([
        2,
        ['a', 'b'],
        [...texts, ...numbers.map(String)],
      ]);
      expect(await redis.evalsha(sha, 0)).toEqual([0, [], []]);
    });

    it('before it is connected, and after it was cut off', async () => {
      const other = new JoinedRedis(testRedisUrl(), { retryStrategy: () => 1 });
      try {
        const run = (): Promise<unknown[]> =>
          Promise.all(Array.from({ length: 40 }, (_, at) => other.evalsha(sha, 1, 'a', at)));
        const replies = Array.from({ length: 40 }, (_, at) => [1, ['a'], [String(at)]]);
        expect(await run()).toEqual(replies);
        other.stream.destroy();
        expect(await run()).toEqual(replies);
      } finally {
        other.disconnect();
      }
    });

    it('and says when Redis does not know it', async () => {
      await expect(redis.evalsha('0'.repeat(40), 0)).rejects.toThrow('NOSCRIPT');
    });
  });
});
