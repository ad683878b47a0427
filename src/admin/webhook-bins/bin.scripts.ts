import { scriptsIn } from '../../platform/redis/script/redis-script.js';

const script = scriptsIn(new URL('lua/', import.meta.url));

/** All changes of bins. */
export const BIN_SCRIPTS = {
  open: script('open_bin', { keys: 'bin bins', args: 'id ttl maxBins' }),
  fill: script('fill_bin', { keys: 'bin', args: 'delivery maxDeliveries maxBytes' }),
} as const;
