import { scriptsIn } from '../../platform/redis/script/redis-script.js';

const script = scriptsIn(new URL('lua/', import.meta.url));

export const QUEUE_SCRIPTS = {
  idle: script('idle', { keys: 'idle', args: 'process idleMs' }),
  hint: script('hint', { keys: 'idle', args: 'maxWoken channels' }),
} as const;
