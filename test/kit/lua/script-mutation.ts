import type { RedisClient } from '../../../src/platform/redis/connection/redis-client.js';

/** A piece of a script's text and what stands in its place. */
export type Edit = readonly [piece: string, instead: string];

/** The same connection, but every script that has the piece runs with the other text. `edits` counts such runs. */
export function withEditedScripts(redis: RedisClient, [piece, instead]: Edit): { redis: RedisClient; edits(): number } {
  let edits = 0;
  const run = (source: string, ...rest: (string | number)[]): Promise<unknown> => {
    const edited = source.replace(piece, () => instead);
    if (edited !== source) edits += 1;
    return redis.eval(edited, ...(rest as [number, ...string[]]));
  };
  const overrides: Readonly<Record<string, unknown>> = {
    evalsha: () => Promise.reject(new Error('NOSCRIPT so that the text is sent')),
    eval: run,
  };
  const mutant = new Proxy(redis, {
    get: (target, name) => {
      const own = typeof name === 'string' ? overrides[name] : undefined;
      if (own !== undefined) return own;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { redis: mutant, edits: () => edits };
}
