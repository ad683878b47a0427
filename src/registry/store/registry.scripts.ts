import { RedisScript } from '../../platform/redis/redis-script.js';

function script(name: string): RedisScript {
  return new RedisScript(new URL(`lua/${name}.lua`, import.meta.url));
}

export const REGISTRY_SCRIPTS = {
  change: script('change'),
  note: script('note'),
  pin: script('pin'),
  lead: script('lead'),
} as const;
