import { scriptsIn } from '../platform/redis/script/redis-script.js';
import { FIELD } from '../tasks/task-fields.js';

/** These scripts also read the records of tasks (tasks/lua/lib/hooks/hooked.lua). */
const script = scriptsIn(new URL('lua/', import.meta.url), FIELD);
const keys = 'task push outbox';

/** All changes of webhooks and cursors. */
export const PUSH_SCRIPTS = {
  register: script('register', {
    keys: `${keys} bytes`,
    args: 'owner hook record maxHooks settledStates id hints shard',
  }),
  unregister: script('unregister', { keys: `${keys} bytes dead deadTimes`, args: 'owner hook id' }),
  hooks: script('hooks', { keys: 'task push attempts', args: 'owner withAttempts' }),
  take: script('take', { keys: 'outbox', args: 'maxTaken takenMs aheadMs' }),
  claim: script('claim', { keys, args: 'id hook token leaseMs maxEvents aheadMs maxBytes' }),
  advance: script('advance', {
    keys: `${keys} dead deadTimes attempts bytes`,
    args: `id hook token nextEvent leaseMs maxEvents aheadMs line deadName deadLetter nonce refused maxBytes`,
  }),
  postpone: script('postpone', {
    keys: `${keys} attempts bytes`,
    args: 'id hook token delayMs failed aheadMs line body span hints shard',
  }),
  stop: script('stop', {
    keys: `${keys} dead deadTimes attempts bytes`,
    args: 'id hook token why deadName deadLetter aheadMs line',
  }),
  revive: script('revive', { keys: `${keys} dead deadTimes bytes`, args: 'id hook deadName event hints shard' }),
  replace: script('replace', { keys: 'secret', args: 'name expected replacement' }),
} as const;
