import { scriptsIn } from '../redis/script/redis-script.js';

const script = scriptsIn(new URL('lua/', import.meta.url));
const keys = 'endpoint attempts groupAttempts';

export const BREAKER_SCRIPTS = {
  admit: script('admit', { keys, args: 'token lostMs firstSlots maxSlots groupSlots probeMs aheadMs' }),
  hold: script('hold', { keys, args: 'token lostMs aheadMs' }),
  report: script('report', {
    keys,
    args: `token sign tookMs maxFailures sample pauseMs maxPauseMs disableMs disableFailures name aheadMs count laterMs`,
  }),
} as const;
