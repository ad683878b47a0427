import { scriptsIn } from './script/redis-script.js';

const script = scriptsIn(new URL('lua/', import.meta.url));

export const REDIS_SCRIPTS = {
  enter: script('enter', { keys: 'schema', args: 'code oldestCode oldestData' }),
  runningProcesses: script('running_processes', { keys: 'presence', args: 'process holdMs knownMs maxKnown which' }),
} as const;
