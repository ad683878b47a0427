import type { QuotaOptions } from './limit-options.js';
import { requireRoom } from './quota.js';
import type { TaskCounts } from './task-counts.js';

/** Refuses work that there is no room for, before it is accepted. */
export class QuotaService {
  constructor(
    private readonly counts: TaskCounts,
    private readonly options: QuotaOptions,
  ) {}

  /** To be called before a task is created. @throws A2AError RateLimited */
  async requireRoomForTask({ tenant, client }: { tenant: string; client: string }): Promise<void> {
    const [live, waiting] = await Promise.all([
      this.counts.liveTasks(tenant, client),
      this.counts.waitingTasks(tenant),
    ]);
    requireRoom(live, { subject: 'unfinished tasks', limit: this.options.liveTasksPerClient, retryAfterSeconds: 5 });
    requireRoom(waiting, { subject: 'waiting tasks', limit: this.options.waitingTasksPerTenant, retryAfterSeconds: 5 });
  }

  /** To be called with the number of configs a task has before one more is stored. @throws A2AError RateLimited */
  requireRoomForPushConfig(count: number): void {
    const limit = this.options.pushConfigsPerTask;
    requireRoom(count, { subject: 'webhooks of one task', limit, retryAfterSeconds: 60 });
  }
}
