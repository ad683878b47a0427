import { Inject, Injectable } from '@nestjs/common';
import { CommandRedis } from '../platform/redis/connection/connections.js';
import { RedisOptions } from '../platform/redis/redis.options.js';
import { CONTEXT_EXTENSION } from '@parley/protocol/extension/context-extension.js';
import { type A2AError, invalidParams } from '@parley/protocol/model/errors.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { readTimestamp } from '@parley/protocol/model/timestamp.js';
import type { FreshnessDto } from './dto/policy-file.dto.js';
import type { PolicyCaller } from './policy.js';
import { nonceKey } from './policy.keys.js';

/** Refuses replayed calls: by the time of their context, and by its nonce (O-75). */
@Injectable()
export class Freshness {
  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(RedisOptions) private readonly options: RedisOptions,
  ) {}

  /**
   * Stores a nonce for as long as its timestamp is accepted. Check and mark are one Redis command.
   * @param context context of the message; undefined if it has none
   * @throws A2AError InvalidParams with the path of a missing, stale or used member
   */
  async require(
    caller: PolicyCaller,
    context: JsonObject | undefined,
    { seconds, nonce }: FreshnessDto,
  ): Promise<void> {
    const { timestamp, nonce: given } = context ?? {};
    const at = typeof timestamp === 'string' ? readTimestamp(timestamp) : undefined;
    if (at === undefined) throw wrong('timestamp', 'is required by the policy');
    if (Math.abs(Date.now() - at) > seconds * 1000) throw wrong('timestamp', `is more than ${String(seconds)} s off`);
    if (nonce !== true) return;
    if (typeof given !== 'string') throw wrong('nonce', 'is required by the policy');
    const key = nonceKey(this.options.keyPrefix, caller, given);
    // Clocks may deviate in both directions.
    const isNew = (await this.redis.set(key, '1', 'EX', 2 * seconds + 1, 'NX')) === 'OK';
    if (!isNew) throw wrong('nonce', 'was used before');
  }
}

function wrong(member: string, description: string): A2AError {
  return invalidParams([{ field: `message.metadata.${CONTEXT_EXTENSION}.${member}`, description }]);
}
