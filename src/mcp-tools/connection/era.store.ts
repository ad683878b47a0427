import type { CommandRedis } from '../../platform/redis/connection/connections.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { MODERN_REVISION } from '@parley/protocol/mcp/revision.js';
import type { Era, Peer } from '../client/peer.js';
import { ToolError } from '../client/tool-error.js';
import type { ToolKeys } from '../tool.keys.js';

/** Interval after which a server is probed again for the stateless revision. */
const KEPT_MS = 24 * 3_600_000;
const PROBE_MS = 10_000;

/** Storage of eras. */
export interface EraMemory {
  readonly get: (key: string) => Promise<string | null>;
  readonly set: (key: string, era: Era, keptMs: number) => Promise<unknown>;
}

/** Storage in Redis, for all processes. */
export function sharedEras(redis: CommandRedis): EraMemory {
  return { get: (key) => redis.get(key), set: (key, era, keptMs) => redis.set(key, era, 'PX', keptMs) };
}

/** The revision of each server and credential, probed once for all processes and kept for a day (MCP-VER-4). */
export class EraStore {
  constructor(
    private readonly memory: EraMemory,
    private readonly keys: ToolKeys,
  ) {}

  /** @param probe a peer of the stateless revision @throws ToolError */
  async find(server: string, credential: string, probe: () => Peer): Promise<Era> {
    const key = this.keys.era(server, credential);
    const known = await this.memory.get(key);
    if (known === 'modern' || known === 'legacy') return known;
    const era = await probed(probe());
    await this.memory.set(key, era, KEPT_MS);
    return era;
  }
}

/** A server that does not know the method has sessions; an unreachable one has no known era. */
async function probed(peer: Peer): Promise<Era> {
  try {
    const { supportedVersions } = await peer.call({ method: 'server/discover', params: {}, timeoutMs: PROBE_MS });
    return Array.isArray(supportedVersions) && supportedVersions.includes(MODERN_REVISION) ? 'modern' : 'legacy';
  } catch (error) {
    if (error instanceof ToolError && (error.kind === 'refused' || error.kind === 'invalid-answer'))
      return eraIn(error);
    throw error;
  }
}

/** An error may list the supported revisions. */
function eraIn({ data }: ToolError): Era {
  const supported = isJsonObject(data) && Array.isArray(data.supported) ? data.supported : [];
  return supported.includes(MODERN_REVISION) ? 'modern' : 'legacy';
}
