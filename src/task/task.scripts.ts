import { RedisScript } from '../platform/redis/redis-script.js';

function script(name: string): RedisScript {
  return new RedisScript(new URL(`lua/${name}.lua`, import.meta.url));
}

/** Every change of a task is one of these, and nothing else writes task state. */
export const TASK_SCRIPTS = {
  create: script('create'),
  read: script('read'),
  list: script('list'),
  latest: script('latest'),
  resume: script('resume'),
  sender: script('sender'),
  cancel: script('cancel'),
  claim: script('claim'),
  commit: script('commit'),
  heartbeat: script('heartbeat'),
  note: script('note'),
  release: script('release'),
  look: script('look'),
  settle: script('settle'),
  purge: script('purge'),
} as const;
