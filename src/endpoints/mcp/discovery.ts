import { Inject, Injectable } from '@nestjs/common';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { META, type McpRevision, revisionsOf, TASKS_EXTENSION } from '@parley/protocol/mcp/revision.js';
import { McpOptions } from './call/mcp.options.js';

/** Cache hints: discovery changes only with a deployment. */
const CACHING = { ttlMs: 300_000, cacheScope: 'public' };

/** Tools, resources and prompts are constant while the service runs: no list change is announced. */
const CAPABILITIES: JsonObject = { tools: {}, resources: {}, prompts: {} };

/** The service's description of itself. */
@Injectable()
export class Discovery {
  constructor(@Inject(McpOptions) private readonly options: McpOptions) {}

  /** The result of `server/discover`. */
  discover(): object {
    return {
      supportedVersions: revisionsOf(this.options.eras),
      capabilities: { ...CAPABILITIES, extensions: { [TASKS_EXTENSION]: {} } },
      ...CACHING,
      _meta: { [META.server]: this.options.server },
    };
  }

  /** The result of `initialize`. */
  initialized(revision: McpRevision): JsonObject {
    return { protocolVersion: revision, capabilities: CAPABILITIES, serverInfo: this.options.server };
  }

  /** The result of `prompts/list`: skills are tools, and there are no prompts. */
  prompts(): object {
    return { prompts: [], ...CACHING };
  }
}
