/** The Redis that integration tests run on. @throws when there is none */
export function redisUrl(): string {
  const url = process.env.TEST_REDIS_URL;
  if (url === undefined) throw new Error('Set TEST_REDIS_URL to a Redis that tests may write to');
  return url;
}
