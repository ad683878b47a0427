import type { CommandRedis } from '../../platform/redis/connection/connections.js';
import type { RedisClient } from '../../platform/redis/connection/redis-client.js';
import { scanKeys } from '../../platform/redis/scan-keys.js';
import type { SecretBox, SecretOwner } from '../../secrets/secret-box.js';
import type { ToolKeys } from '../tool.keys.js';

/** Credentials of tenants for tool servers, sealed for tenant and server: none decrypts as another's. */
export class CredentialStore {
  constructor(
    private readonly redis: Pick<CommandRedis, 'hget' | 'hset' | 'hdel' | 'hkeys'>,
    private readonly keys: ToolKeys,
    private readonly box: SecretBox,
  ) {}

  /** The token of a tenant; undefined without one. @throws SealBroken */
  async of(server: string, tenant: string): Promise<string | undefined> {
    const sealed = await this.redis.hget(this.keys.secrets(server), tenant);
    return sealed === null ? undefined : this.box.open(sealed, ownerOf(server, tenant));
  }

  async set(server: string, tenant: string, token: string): Promise<void> {
    await this.redis.hset(this.keys.secrets(server), tenant, this.box.seal(token, ownerOf(server, tenant)));
  }

  /** Returns whether there was one. */
  async remove(server: string, tenant: string): Promise<boolean> {
    return (await this.redis.hdel(this.keys.secrets(server), tenant)) > 0;
  }

  async tenants(server: string): Promise<readonly string[]> {
    return (await this.redis.hkeys(this.keys.secrets(server))).sort();
  }
}

/** A sealed credential and its location. */
export interface StoredCredential {
  readonly key: string;
  /** The tenant. */
  readonly field: string;
  readonly text: string;
  readonly sealed: string;
  readonly owner: SecretOwner;
}

/**
 * Iterates over the credentials of all tenants and servers in Redis, for operators: scans every key, while the service
 * runs.
 */
export async function* storedCredentials(
  redis: RedisClient,
  keys: ToolKeys,
): AsyncGenerator<StoredCredential, void, void> {
  for await (const key of scanKeys(redis, keys.everySecrets)) {
    for (const [tenant, text] of Object.entries(await redis.hgetall(key))) {
      yield { key, field: tenant, text, sealed: text, owner: ownerOf(keys.serverOf(key), tenant) };
    }
  }
}

function ownerOf(server: string, tenant: string): SecretOwner {
  return { tenant, taskId: 'mcp-server', configId: server };
}
