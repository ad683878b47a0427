import { readFileSync } from 'node:fs';
import type { JSONWebKeySet } from 'jose';
import { ConfigError } from '../../platform/config/config-error.js';
import type { JsonObject } from '../../protocol/json.js';
import { isPattern } from '../../skill/contract/glob.js';
import { isJsonObject } from '../../wire/json-value.js';

/** How a remote agent is called, as AGENTS_FILE has it. */
export interface RemoteAgent {
  readonly name: string;
  /** The URL of its card, or its origin. */
  readonly card: string;
  readonly auth: RemoteAuth;
  /** Origins beside the card's that its interfaces may be at; credentials go there, too. */
  readonly origins: readonly string[];
  /** Calls to it that all processes make at once. */
  readonly maxInFlight: number;
  /** The longest life of one of its tasks, ms. */
  readonly timeoutMs: number;
  /** `safe`: a message whose fate is unknown is sent again, with its id. `never`: its task is then of unknown outcome. */
  readonly resend: 'safe' | 'never';
  /** How its tasks are followed; `auto`: by webhook where its card has such, else by polling. */
  readonly mode: 'auto' | 'push' | 'poll';
  /** Whether its card must have a signature of one of `keys`. */
  readonly signature: 'required' | 'if-present' | 'off';
  readonly keys: JSONWebKeySet | undefined;
  /** The skill that is asked for where a call names none. */
  readonly skill: string | undefined;
  /** Keys of the caller's memory, by patterns, that the agent gets with the context of a call. Absent: it gets no context. */
  readonly reads?: readonly string[];
}

export type RemoteAuth =
  | { readonly type: 'none' }
  | { readonly type: 'bearer'; readonly token: string }
  | { readonly type: 'apiKey'; readonly in: 'header' | 'query' | 'cookie'; readonly name: string; readonly key: string }
  | {
      readonly type: 'oauth2';
      readonly tokenUrl: string;
      readonly clientId: string;
      readonly clientSecret: string;
      readonly scope?: string;
      readonly audience?: string;
    };

type Variables = Readonly<Record<string, string | undefined>>;

const NAME = /^[a-z][a-z0-9_-]{0,63}$/;
const MEMBERS = [
  ...['card', 'auth', 'origins', 'timeoutMs', 'resend', 'signature', 'keys', 'skill', 'reads', 'tags'],
  ...['mode', 'maxInFlight'],
];

/** Reads AGENTS_FILE. @throws ConfigError with a line for each fault */
export function readAgentsFile(path: string, variables: Variables): readonly RemoteAgent[] {
  const faults: string[] = [];
  const agents = Object.entries(parsed(path)).flatMap(([name, value]) => {
    const fault = (why: string): void => {
      faults.push(`AGENTS_FILE: ${name}: ${why}`);
    };
    const agent = agentOf(name, value, variables, fault);
    return agent === undefined ? [] : [agent];
  });
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
  return agents;
}

type Fault = (why: string) => void;

function agentOf(name: string, value: unknown, variables: Variables, fault: Fault): RemoteAgent | undefined {
  if (!NAME.test(name)) fault('the name must be a lower case letter and up to 63 more, digits, "_" or "-"');
  if (!isJsonObject(value)) {
    fault('must be an object');
    return undefined;
  }
  const unknown = Object.keys(value).filter((key) => !MEMBERS.includes(key));
  if (unknown.length > 0) fault(`has no member ${unknown.join(', ')}`);
  const { card, skill } = value;
  const auth = authOf(value.auth, variables, fault);
  if (typeof card !== 'string' || !URL.canParse(card)) {
    fault('card must be the URL of the card or the agent');
    return undefined;
  }
  return {
    ...{ name, card, auth, skill: typeof skill === 'string' ? skill : undefined },
    origins: originsOf(value.origins, fault),
    maxInFlight: wholeNumber(value, 'maxInFlight', { usual: 20, most: 1000 }, fault),
    timeoutMs: wholeNumber(value, 'timeoutMs', { usual: 3_600_000, most: 86_400_000 }, fault),
    resend: choice(value, 'resend', ['safe', 'never'] as const, fault),
    mode: choice(value, 'mode', ['auto', 'push', 'poll'] as const, fault),
    signature: choice(value, 'signature', ['if-present', 'required', 'off'] as const, fault),
    keys: keysOf(value.keys, fault),
    ...(value.reads === undefined ? {} : { reads: patternsOf(value.reads, fault) }),
  };
}

function patternsOf(value: unknown, fault: Fault): readonly string[] {
  const listed: readonly unknown[] = Array.isArray(value) ? value : [];
  const patterns = listed.filter((one): one is string => typeof one === 'string' && isPattern(one));
  if (!Array.isArray(value) || patterns.length < listed.length) fault('reads must be a list of patterns of keys');
  return patterns;
}

function authOf(value: unknown, variables: Variables, fault: Fault): RemoteAuth {
  if (value === undefined) return { type: 'none' };
  if (!isJsonObject(value)) {
    fault('auth must be an object');
    return { type: 'none' };
  }
  const text = (name: string): string => {
    const given = value[name];
    if (typeof given !== 'string' || given === '') {
      fault(`auth.${name} is missing`);
      return '';
    }
    const found = given.startsWith('env:') ? (variables[given.slice(4)] ?? '') : given;
    if (found === '') fault(`auth.${name}: ${given} is not set`);
    return found;
  };
  switch (value.type) {
    case 'none':
      return { type: 'none' };
    case 'bearer':
      return { type: 'bearer', token: text('token') };
    case 'apiKey':
      return {
        type: 'apiKey',
        in: choice(value, 'in', ['header', 'query', 'cookie'] as const, fault),
        name: text('name'),
        key: text('key'),
      };
    case 'oauth2':
      return {
        ...{ type: 'oauth2', tokenUrl: text('tokenUrl'), clientId: text('clientId'), clientSecret: text('secret') },
        ...(value.scope === undefined ? {} : { scope: text('scope') }),
        ...(value.audience === undefined ? {} : { audience: text('audience') }),
      };
    default:
      fault('auth.type is none, bearer, apiKey or oauth2');
      return { type: 'none' };
  }
}

function originsOf(value: unknown, fault: Fault): readonly string[] {
  const listed: readonly unknown[] = Array.isArray(value) ? value : [];
  const origins = listed.flatMap((one) => (typeof one === 'string' && URL.canParse(one) ? [new URL(one).origin] : []));
  const isList = value === undefined || Array.isArray(value);
  if (!isList || origins.length < listed.length) fault('origins must be a list of https origins');
  return origins;
}

function keysOf(value: unknown, fault: Fault): JSONWebKeySet | undefined {
  if (isJsonObject(value) && Array.isArray(value.keys)) return { keys: value.keys.filter(isJsonObject) };
  if (value !== undefined) fault('keys must be a JSON Web Key Set: {"keys": [...]}');
  return undefined;
}

function wholeNumber(
  object: JsonObject,
  name: string,
  { usual, most }: { readonly usual: number; readonly most: number },
  fault: Fault,
): number {
  const value = object[name] ?? usual;
  if (typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= most) return value;
  fault(`${name} must be a whole number from 1 to ${String(most)}`);
  return usual;
}

/** One of the words; the first is the default. */
function choice<T extends string>(object: JsonObject, name: string, words: readonly [T, ...T[]], fault: Fault): T {
  const value = object[name] ?? words[0];
  const found = words.find((word) => word === value);
  if (found === undefined) fault(`${name} is ${words.join(' or ')}`);
  return found ?? words[0];
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
