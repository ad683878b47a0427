import { readFileSync } from 'node:fs';
import type { JSONWebKeySet } from 'jose';
import { ConfigError } from '../../platform/config/config-error.js';
import { FileFaults } from '../../platform/config/settings/file-faults.js';
import type { Variables } from '../../platform/config/variables/secret-files.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { isPattern } from '@parley/sdk/skill/contract/glob.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { type ExposedSkill, readExposedSkills } from './exposed-skill.js';
import { readRemoteAuth, type RemoteAuth } from './remote-auth.js';

/** A remote agent as configured in AGENTS_FILE. */
export interface RemoteAgent {
  readonly name: string;
  /** The URL of its card, or its origin. */
  readonly card: string;
  readonly auth: RemoteAuth;
  /** Origins besides the card's that its interfaces may have; they get credentials too. */
  readonly origins: readonly string[];
  /** Concurrent calls to it, over all processes. */
  readonly maxInFlight: number;
  /** Maximum duration of one of its tasks, ms. */
  readonly timeoutMs: number;
  /**
   * `safe`: a message without a known result is sent again with its id. `never`: the outcome of its task is then
   * unknown.
   */
  readonly resend: 'safe' | 'never';
  /** How its tasks are followed; `auto`: by webhook if its card supports push notifications, else by polling. */
  readonly mode: 'auto' | 'push' | 'poll';
  /** Whether its card must be signed by one of `keys`. */
  readonly signature: 'required' | 'if-present' | 'off';
  readonly keys: JSONWebKeySet | undefined;
  /** The skill requested when a call names none. */
  readonly skill: string | undefined;
  /**
   * Patterns of the caller's memory keys that the agent gets with the context of a call. Absent: it gets no context.
   */
  readonly reads?: readonly string[];
  /** Its skills that are exposed to callers as skills of this service. */
  readonly exposed: readonly ExposedSkill[];
}

const NAME = /^[a-z][a-z0-9_-]{0,63}$/;
const MEMBERS = [
  ...['card', 'auth', 'origins', 'timeoutMs', 'resend', 'signature', 'keys', 'skill', 'reads', 'tags'],
  ...['mode', 'maxInFlight', 'expose'],
];

/** Reads AGENTS_FILE. @throws ConfigError with a line per fault */
export function readAgentsFile(path: string, variables: Variables): readonly RemoteAgent[] {
  const faults = new FileFaults('AGENTS_FILE', variables);
  const agents = Object.entries(parsed(path)).flatMap(([name, value]) => {
    const agent = agentOf(name, value, faults.of(name));
    return agent === undefined ? [] : [agent];
  });
  faults.assertNone();
  return agents;
}

/**
 * Check for a service whose callers are not users of an issuer. @throws ConfigError if an agent requires the user of a
 * call
 */
export function checkNoUserIsNamed(agents: readonly RemoteAgent[]): void {
  const asking = agents.find(({ auth }) => auth.type === 'token-exchange');
  if (asking === undefined) return;
  const why = 'auth.type token-exchange names the user of a call, and no caller here is one';
  throw new ConfigError(`AGENTS_FILE: ${asking.name}: ${why}: set JWT_ISSUER or auth.issuers of parley.yaml`);
}

function agentOf(name: string, value: unknown, faults: FileFaults): RemoteAgent | undefined {
  if (!NAME.test(name)) faults.add('the name must be a lower case letter and up to 63 more, digits, "_" or "-"');
  if (!isJsonObject(value)) {
    faults.add('must be an object');
    return undefined;
  }
  faults.onlyMembers(value, MEMBERS);
  const { card, skill } = value;
  if (skill !== undefined && typeof skill !== 'string') faults.add('skill must be the id of a skill');
  const auth = readRemoteAuth(value.auth, faults);
  if (typeof card !== 'string' || !URL.canParse(card)) {
    faults.add('card must be the URL of the card or the agent');
    return undefined;
  }
  return {
    ...{ name, card, auth, skill: typeof skill === 'string' ? skill : undefined },
    origins: originsOf(value.origins, faults),
    maxInFlight: faults.wholeNumber(value, 'maxInFlight', { usual: 20, most: 1000 }),
    timeoutMs: faults.wholeNumber(value, 'timeoutMs', { usual: 3_600_000, most: 86_400_000 }),
    resend: faults.choice(value, 'resend', ['safe', 'never']),
    mode: faults.choice(value, 'mode', ['auto', 'push', 'poll']),
    signature: faults.choice(value, 'signature', ['if-present', 'required', 'off']),
    keys: keysOf(value.keys, faults),
    exposed: readExposedSkills(name, value.expose, faults),
    ...(value.reads === undefined ? {} : { reads: patternsOf(value.reads, faults) }),
  };
}

function patternsOf(value: unknown, faults: FileFaults): readonly string[] {
  const listed: readonly unknown[] = Array.isArray(value) ? value : [];
  const patterns = listed.filter((one): one is string => typeof one === 'string' && isPattern(one));
  if (!Array.isArray(value) || patterns.length < listed.length) faults.add('reads must be a list of patterns of keys');
  return patterns;
}

function originsOf(value: unknown, faults: FileFaults): readonly string[] {
  const listed: readonly unknown[] = Array.isArray(value) ? value : [];
  const origins = listed.flatMap((one) => (typeof one === 'string' && URL.canParse(one) ? [new URL(one).origin] : []));
  const isList = value === undefined || Array.isArray(value);
  if (!isList || origins.length < listed.length) faults.add('origins must be a list of https origins');
  return origins;
}

function keysOf(value: unknown, faults: FileFaults): JSONWebKeySet | undefined {
  if (isJsonObject(value) && Array.isArray(value.keys) && value.keys.every(isJsonObject)) return { keys: value.keys };
  if (value !== undefined) faults.add('keys must be a JSON Web Key Set: {"keys": [...]}');
  return undefined;
}

function parsed(path: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ConfigError(`AGENTS_FILE: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!isJsonObject(value)) throw new ConfigError('AGENTS_FILE must be a JSON object: a name and an agent each');
  return value;
}
