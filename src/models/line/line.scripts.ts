import { scriptsIn } from '../../platform/redis/script/redis-script.js';

const script = scriptsIn(new URL('lua/', import.meta.url));

export const LINE_SCRIPTS = {
  enter: script('enter', {
    keys: 'account attempts line due shares',
    args: `ticket token tenant weight atOnce intervalMs burst lostMs graceMs maxWaitMs maxTickets aheadMs`,
  }),
  keep: script('keep', { keys: 'line due', args: 'ticket start keptMs aheadMs' }),
  spend: script('spend', { keys: 'spent', args: 'model micros maxMicros ttlMs' }),
} as const;
