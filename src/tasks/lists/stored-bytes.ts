import { Inject, Injectable } from '@nestjs/common';
import { CommandRedis } from '../../platform/redis/connection/connections.js';
import { clientAccount } from '../record/new-task.js';
import { accountsOf } from '../record/task-record.js';
import { ALL_SHARDS, TaskKeys } from '../task.keys.js';
import { TaskOptions } from '../task.options.js';

/** Cache lifetime of a sum; bytes admitted by this process meanwhile are added to it. */
const BELIEVED_MS = 1_000;
/** Cached sums; the least recently used ones are evicted. */
const MAX_SUMS = 10_000;

/** Bytes of stored tasks: messages, results and events. */
export interface StoredSums {
  readonly tenant: number;
  readonly client: number;
}

interface Caller {
  readonly tenant: string;
  readonly client: string;
}

interface Sums extends StoredSums {
  readonly at: number;
  added: number;
}

/** Stored bytes of clients and tenants, as counted by the scripts that store and remove tasks. */
@Injectable()
export class StoredBytes {
  private readonly keys: TaskKeys;
  private readonly known = new Map<string, Sums>();
  private readonly asking = new Map<string, Promise<Sums>>();

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(TaskOptions) options: TaskOptions,
  ) {
    this.keys = new TaskKeys(options.keyPrefix);
  }

  /** At most a second old, plus the bytes added since. */
  async of({ tenant, client }: Caller): Promise<StoredSums> {
    const account = clientAccount(tenant, client);
    const known = this.known.get(account);
    const sums = known !== undefined && Date.now() - known.at < BELIEVED_MS ? known : await this.asked(tenant, account);
    return { tenant: sums.tenant + sums.added, client: sums.client + sums.added };
  }

  /** Adds bytes that are about to be stored, until the sums are read again. */
  add({ tenant, client }: Caller, bytes: number): void {
    const sums = this.known.get(clientAccount(tenant, client));
    if (sums !== undefined) sums.added += bytes;
  }

  /** Concurrent calls share one read. */
  private asked(tenant: string, account: string): Promise<Sums> {
    const present = this.asking.get(account);
    if (present !== undefined) return present;
    const asking = this.ask(tenant, account).finally(() => this.asking.delete(account));
    this.asking.set(account, asking);
    return asking;
  }

  private async ask(tenant: string, account: string): Promise<Sums> {
    const { tenantAccount, clientAccount } = accountsOf({ tenant, client: account });
    const shards = ALL_SHARDS.map((shard) => this.redis.hmget(this.keys.bytes(shard), tenantAccount, clientAccount));
    const found = await Promise.all(shards);
    const sumOf = (at: number): number => found.reduce((sum, values) => sum + Number(values[at] ?? 0), 0);
    const sums = { tenant: sumOf(0), client: sumOf(1), at: Date.now(), added: 0 };
    this.known.delete(account);
    this.known.set(account, sums);
    const [oldest] = this.known.keys();
    if (this.known.size > MAX_SUMS && oldest !== undefined) this.known.delete(oldest);
    return sums;
  }
}
