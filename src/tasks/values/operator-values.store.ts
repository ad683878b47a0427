import { Inject, Injectable } from '@nestjs/common';
import { RunRedis } from '../../platform/redis/connection/connections.js';
import { TaskKeys } from '../task.keys.js';
import { TaskOptions } from '../task.options.js';

/** Values per tenant, and bytes of one of them as JSON. */
const MAX_VALUES = 1_000;
const MAX_BYTES = 64 * 1024;

/** A value that operators cannot set: the tenant has too many, or it is too large. */
export class OperatorValueRefused extends Error {
  override readonly name = 'OperatorValueRefused';
}

/** Values set by the operators of a tenant and read by its skills: `app:` in `context.shared`. */
@Injectable()
export class OperatorValues {
  private readonly keys: TaskKeys;

  constructor(
    @Inject(RunRedis) private readonly redis: RunRedis,
    @Inject(TaskOptions) { keyPrefix }: TaskOptions,
  ) {
    this.keys = new TaskKeys(keyPrefix);
  }

  /** Undefined for a missing one. */
  async get(tenant: string, name: string): Promise<unknown> {
    const text = await this.redis.hget(this.keys.operatorValues(tenant), name);
    return text === null ? undefined : (JSON.parse(text) as unknown);
  }

  /** By name. */
  async list(tenant: string): Promise<readonly (readonly [name: string, value: unknown])[]> {
    const texts = await this.redis.hgetall(this.keys.operatorValues(tenant));
    return Object.entries(texts)
      .map(([name, text]) => [name, JSON.parse(text) as unknown] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** @throws OperatorValueRefused */
  async set(tenant: string, name: string, value: unknown): Promise<void> {
    const key = this.keys.operatorValues(tenant);
    const json = JSON.stringify(value);
    if (Buffer.byteLength(json) > MAX_BYTES) {
      throw new OperatorValueRefused(`A value has at most ${String(MAX_BYTES)} bytes.`);
    }
    const [isKnown, count] = await Promise.all([this.redis.hexists(key, name), this.redis.hlen(key)]);
    if (isKnown === 0 && count >= MAX_VALUES) {
      throw new OperatorValueRefused(`A tenant has at most ${String(MAX_VALUES)} values.`);
    }
    await this.redis.hset(key, name, json);
  }

  /** Whether it existed. */
  async remove(tenant: string, name: string): Promise<boolean> {
    return (await this.redis.hdel(this.keys.operatorValues(tenant), name)) === 1;
  }
}
