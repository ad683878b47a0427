import type { FileFaults } from '../../platform/config/settings/file-faults.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { SKILL_ID } from '../../skill/skill-catalog.js';

/** A tool that is exposed to callers as a skill (MCP-BRIDGE-2). */
export interface ExposedTool {
  /** The id of the skill. */
  readonly id: string;
  /** Scopes that callers need. */
  readonly scopes: readonly string[];
}

/** The members of a tool in MCP_SERVERS_FILE that expose it as a skill. */
export const EXPOSING_MEMBERS = ['exposeAs', 'scopes'];

/** Undefined for a tool that is not exposed, the default. */
export function readExposed(value: JsonObject, faults: FileFaults): ExposedTool | undefined {
  const { exposeAs, scopes = [] } = value;
  if (exposeAs === undefined) return undefined;
  if (typeof exposeAs !== 'string' || !SKILL_ID.test(exposeAs)) {
    faults.add('exposeAs must be the id of a skill: lower case letters, digits, "_" and "-"');
    return undefined;
  }
  if (!Array.isArray(scopes) || !scopes.every((one) => typeof one === 'string')) {
    faults.add('scopes must be a list of scopes');
    return undefined;
  }
  return { id: exposeAs, scopes };
}
