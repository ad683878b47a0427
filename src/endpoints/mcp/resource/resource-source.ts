import type { JsonObject } from '@parley/protocol/model/json.js';
import type { ResourceContents } from '@parley/protocol/mcp/content-block.js';

/** Resources besides those of tasks, for applications that embed the service. */
export interface ResourceSource {
  /** In the form of `resources/list`. */
  readonly resources: readonly JsonObject[];
  /** In the form of `resources/templates/list`. */
  readonly templates: readonly JsonObject[];
  /** The contents of a URI; undefined for an unknown one. */
  read(uri: string): readonly ResourceContents[] | undefined;
}

/** Injection token. */
export const ResourceSource = Symbol('ResourceSource');

/** Only the resources of tasks. */
export const NO_RESOURCES: ResourceSource = { resources: [], templates: [], read: () => undefined };
