import type { JsonObject } from '@parley/protocol/model/json.js';
import type { ResourceContents } from '@parley/protocol/mcp/content-block.js';

/** Resources beside those of tasks: an application that embeds the service may have its own. */
export interface ResourceSource {
  /** As `resources/list` shows them. */
  readonly resources: readonly JsonObject[];
  /** As `resources/templates/list` shows them. */
  readonly templates: readonly JsonObject[];
  /** The contents behind a uri; undefined for a uri that is none of these. */
  read(uri: string): readonly ResourceContents[] | undefined;
}

/** Injection token. */
export const ResourceSource = Symbol('ResourceSource');

/** No resources but those of tasks. */
export const NO_RESOURCES: ResourceSource = { resources: [], templates: [], read: () => undefined };
