import { RedisScript } from '../platform/redis/redis-script.js';

function script(name: string): RedisScript {
  return new RedisScript(new URL(`lua/${name}.lua`, import.meta.url));
}

/** Every change of a webhook, its cursor or a bin is one of these. */
export const PUSH_SCRIPTS = {
  register: script('register'),
  unregister: script('unregister'),
  take: script('take'),
  claim: script('claim'),
  advance: script('advance'),
  postpone: script('postpone'),
  stop: script('stop'),
  revive: script('revive'),
  replace: script('replace'),
  openBin: script('open_bin'),
  fillBin: script('fill_bin'),
} as const;
