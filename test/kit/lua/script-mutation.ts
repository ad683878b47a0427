import type { RedisClient } from '../../../src/platform/redis/connection/redis-client.js';
import { SCRIPTS, withoutComments } from './script-source.js';

/** A piece of a script's text, without its comments, and what stands in its place. */
export type Edit = readonly [piece: string, instead: string];

/** The same connection, but every script that has the piece runs with the other text. */
export function withEditedScripts(redis: RedisClient, [piece, instead]: Edit): RedisClient {
  const scripts = new Map([...SCRIPTS.values()].map(({ text }) => [text, codeOf(text)]));
  if (![...scripts.values()].some((code) => code.includes(piece))) throw new Error(`no script has: ${piece}`);
  const overrides: Readonly<Record<string, unknown>> = {
    evalsha: () => Promise.reject(new Error('NOSCRIPT so that the text is sent')),
    eval: (text: string, ...rest: (string | number)[]) =>
      redis.eval(
        (scripts.get(text) ?? text).replace(piece, () => instead),
        ...(rest as [number, ...string[]]),
      ),
  };
  return new Proxy(redis, {
    get: (target, name) => {
      const own = typeof name === 'string' ? overrides[name] : undefined;
      if (own !== undefined) return own;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function codeOf(text: string): string {
  const lines = withoutComments(text).split('\n');
  return lines.filter((line) => line.trim() !== '').join('\n');
}
