import { Inject, Injectable } from '@nestjs/common';
import { RunRedis } from '../../platform/redis/connection/connections.js';
import { literally, scanKeys } from '../../platform/redis/scan-keys.js';
import { TaskKeys } from '../task.keys.js';
import { TaskOptions } from '../task.options.js';

/** Lists the owners of tasks, for operators only: scans every key. */
@Injectable()
export class TaskOwners {
  private readonly keys: TaskKeys;

  constructor(
    @Inject(RunRedis) private readonly redis: RunRedis,
    @Inject(TaskOptions) options: TaskOptions,
  ) {
    this.keys = new TaskKeys(options.keyPrefix);
  }

  /** The tenants that have tasks, by name. */
  async tenants(): Promise<readonly string[]> {
    const tenants = new Set<string>();
    for (const list of [this.keys.openIn(0, ''), this.keys.endedIn(0, '')]) {
      const everyShard = list.replace('{s00}', '{s??}');
      for await (const key of scanKeys(this.redis, `${everyShard}*/*`)) {
        tenants.add(key.slice(everyShard.length, key.indexOf('/', everyShard.length)));
      }
    }
    return [...tenants].sort();
  }

  /** The owners of a tenant that have tasks, by name. */
  async of(tenant: string): Promise<readonly string[]> {
    const owners = new Set<string>();
    for (const list of [this.keys.openIn(0, ''), this.keys.endedIn(0, '')]) {
      const everyShard = list.replace('{s00}', '{s??}');
      for await (const key of scanKeys(this.redis, `${everyShard}${literally(tenant)}/*`)) {
        const name = key.slice(everyShard.length);
        if (isOwner(name, tenant)) owners.add(name);
      }
    }
    return [...owners].sort();
  }
}

/** Parts of owner names are escaped: a further colon begins the name of an owner's list. */
function isOwner(name: string, tenant: string): boolean {
  return /^(?:tenant|client:[^:]*|user:[^:]*:[^:]*)$/.test(name.slice(tenant.length + 1));
}
