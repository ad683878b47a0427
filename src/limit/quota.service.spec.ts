import { describe, expect, it } from '@jest/globals';
import { DEFAULT_LIMITS } from './limit-options.js';
import { QuotaService } from './quota.service.js';
import { TaskCounts } from './task-counts.js';

const caller = { tenant: 'acme', client: 'a' };

class FixedCounts extends TaskCounts {
  constructor(
    private readonly live: number,
    private readonly waiting: number,
  ) {
    super();
  }

  override liveTasks(): Promise<number> {
    return Promise.resolve(this.live);
  }

  override waitingTasks(): Promise<number> {
    return Promise.resolve(this.waiting);
  }
}

function quotas(live: number, waiting: number): QuotaService {
  return new QuotaService(new FixedCounts(live, waiting), DEFAULT_LIMITS.quotas);
}

describe(QuotaService.name, () => {
  it('has room below the limits', async () => {
    await expect(quotas(999, 9_999).requireRoomForTask(caller)).resolves.toBeUndefined();
    expect(() => {
      quotas(0, 0).requireRoomForPushConfig(9);
    }).not.toThrow();
  });

  it('refuses a task at a limit, and says when to come back', async () => {
    const refusal = { kind: 'RateLimited', retryAfterSeconds: 5 };
    await expect(quotas(1_000, 0).requireRoomForTask(caller)).rejects.toMatchObject(refusal);
    await expect(quotas(0, 10_000).requireRoomForTask(caller)).rejects.toMatchObject(refusal);
  });

  it('refuses the eleventh webhook of a task', () => {
    expect(() => {
      quotas(0, 0).requireRoomForPushConfig(10);
    }).toThrow('Too many webhooks of one task: at most 10 are allowed at once');
  });
});
