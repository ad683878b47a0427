/**
 * Address of the Redis server that this test run has started. All tests share it: use a key prefix or a database of
 * your own.
 */
export function testRedisUrl(): string {
  const url = process.env.TEST_REDIS_URL;
  if (url === undefined) throw new Error('no Redis for this project: see globalSetup in jest.config.js');
  return url;
}
