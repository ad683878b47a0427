import { Matches } from 'class-validator';
import { Setting } from '../platform/config/settings/setting.js';
import { WholeNumber } from '../platform/config/checks/numbers.js';
import type { LimitOptions } from './limit-options.js';
import { perMinute } from './rates/rate.js';

const RATE_FORM = /^[1-9]\d{0,8}\/[1-9]\d{0,8}$/;
const RATE_MESSAGE = 'must have the format 3000/1000: units per minute and burst';

/** Rates as units per minute / burst, and quotas. Calls over a limit get 429, see docs/limits.md. */
export class LimitSettings {
  @Setting('Rate of writes of a caller, as units per minute / burst: sending a message costs 5, others 1.')
  @Matches(RATE_FORM, { message: RATE_MESSAGE })
  readonly RATE_WRITE: string = '3000/1000';

  @Setting('Rate of reads of a caller: a listing or a subscription costs 2, others 1.')
  @Matches(RATE_FORM, { message: RATE_MESSAGE })
  readonly RATE_READ: string = '6000/1000';

  @Setting('Rate of all calls of an IP address, or off.')
  @Matches(/^(off|[1-9]\d{0,8}\/[1-9]\d{0,8})$/, { message: `${RATE_MESSAGE}, or be off` })
  readonly RATE_ADDRESS: string = '12000/2000';

  @Setting('Rate of rejected credentials of an IP address.')
  @Matches(RATE_FORM, { message: RATE_MESSAGE })
  readonly RATE_FAILURE: string = '20/20';

  @Setting('Number of API replicas. While Redis is unreachable, each enforces its share of the rates.')
  @WholeNumber(1, 1000)
  readonly API_REPLICAS: number = 1;

  @Setting('Unfinished tasks of a client.')
  @WholeNumber(1, 1_000_000)
  readonly QUOTA_LIVE_TASKS: number = 1_000;

  @Setting('Tasks of a tenant that wait for their first run.', { was: 'QUOTA_WAITING_TASKS' })
  @WholeNumber(1, 1_000_000)
  readonly waitingTasks: number = 10_000;

  @Setting(
    'Bytes that the stored tasks, contexts and webhooks of a client may take until they are purged; never more than a quarter of the maxmemory of Redis.',
  )
  @WholeNumber(1_048_576, 2 ** 50)
  readonly QUOTA_BYTES_CLIENT: number = 1_073_741_824;

  @Setting('The same of a tenant; never more than half of the maxmemory of Redis.')
  @WholeNumber(1_048_576, 2 ** 50)
  readonly QUOTA_BYTES_TENANT: number = 4_294_967_296;

  @Setting('Webhooks of a task.')
  @WholeNumber(1, 100)
  readonly QUOTA_WEBHOOKS: number = 10;

  @Setting('Open streams of a client in each process; of each user where OWNERSHIP is client-and-user.', {
    was: 'QUOTA_STREAMS_CLIENT',
  })
  @WholeNumber(1, 1_000_000)
  readonly streamsOfClient: number = 20;

  @Setting('Open streams of a tenant in each process.', { was: 'QUOTA_STREAMS_TENANT' })
  @WholeNumber(1, 1_000_000)
  readonly streamsOfTenant: number = 200;

  @Setting('Open streams and waiting calls in each process, in total.', { was: 'QUOTA_STREAMS_PROCESS' })
  @WholeNumber(1, 1_000_000)
  readonly streamsOfProcess: number = 2_000;

  @Setting('Calls of a client that wait for their answer in each process; of each user as above.', {
    was: 'QUOTA_CALLS_CLIENT',
  })
  @WholeNumber(1, 1_000_000)
  readonly callsOfClient: number = 200;

  @Setting('The same of a tenant.', { was: 'QUOTA_CALLS_TENANT' })
  @WholeNumber(1, 1_000_000)
  readonly callsOfTenant: number = 1_000;
}

/** @param countsUsers whether tasks belong to the users of a client, and so do its streams */
export function limitOptionsOf(settings: LimitSettings, keyPrefix: string, countsUsers = false): LimitOptions {
  const { RATE_ADDRESS } = settings;
  return {
    keyPrefix,
    replicas: settings.API_REPLICAS,
    write: perMinute('write', settings.RATE_WRITE),
    read: perMinute('read', settings.RATE_READ),
    ...(RATE_ADDRESS === 'off' ? {} : { address: perMinute('address', RATE_ADDRESS) }),
    failure: perMinute('failure', settings.RATE_FAILURE),
    quotas: {
      countsUsers,
      liveTasksPerClient: settings.QUOTA_LIVE_TASKS,
      waitingTasksPerTenant: settings.waitingTasks,
      bytesPerClient: settings.QUOTA_BYTES_CLIENT,
      bytesPerTenant: settings.QUOTA_BYTES_TENANT,
      streamsPerClient: settings.streamsOfClient,
      streamsPerTenant: settings.streamsOfTenant,
      streamsPerProcess: settings.streamsOfProcess,
      waitingCallsPerClient: settings.callsOfClient,
      waitingCallsPerTenant: settings.callsOfTenant,
    },
  };
}
