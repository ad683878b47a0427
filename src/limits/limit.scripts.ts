import { scriptsIn } from '../platform/redis/script/redis-script.js';

const script = scriptsIn(new URL('lua/', import.meta.url));

export const LIMIT_SCRIPTS = {
  gcra: script('gcra', { keys: 'bucket', args: 'interval burst cost' }),
  reserve: script('reserve', { keys: 'live waiting', args: 'maxLive maxWaiting keepMs', argLists: { ids: '' } }),
} as const;
