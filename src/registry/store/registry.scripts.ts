import { scriptsIn } from '../../platform/redis/script/redis-script.js';

const script = scriptsIn(new URL('lua/', import.meta.url));
const feedArgs = 'change channel tenant maxChanges maxFeedBytes';

export const REGISTRY_SCRIPTS = {
  change: script('change', {
    keys: 'entries cards log meta changed due health feed',
    args: `id seenEntry seenHead entry card pendingCard event digest maxAgents maxBytes maxEvents probeMs ${feedArgs}`,
  }),
  note: script('note', {
    keys: 'entries health due meta changed feed',
    args: `id state nextMs seenEntry ${feedArgs}`,
  }),
  pin: script('pin', {
    keys: 'publishers log meta',
    args: 'publisher pinned seenHead event digest maxPublishers maxEvents',
  }),
  lead: script('lead', { keys: 'prober', args: 'process leaseMs' }),
} as const;
