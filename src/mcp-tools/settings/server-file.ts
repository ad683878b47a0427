import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { ConfigError } from '../../platform/config/config-error.js';
import { FileFaults } from '../../platform/config/settings/file-faults.js';
import type { Variables } from '../../platform/config/variables/secret-files.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { EXPOSING_MEMBERS, type ExposedTool, readExposed } from './exposed-tool.js';
import { readAuth, type ToolAuth } from './tool-auth.js';

/** A tool server as configured in MCP_SERVERS_FILE. */
export interface ToolServerSettings {
  readonly name: string;
  readonly transport: HttpTransport | StdioTransport;
  /** `auto`: probed at the first call over HTTP; sessions over stdio. */
  readonly era: 'auto' | 'modern' | 'legacy';
  /** The allow-list: unlisted tools do not exist. */
  readonly tools: readonly ToolSettings[];
  /** Concurrent calls of one process. */
  readonly concurrency: number;
}

export interface HttpTransport {
  readonly type: 'http';
  readonly url: string;
  readonly auth: ToolAuth;
}

export interface StdioTransport {
  readonly type: 'stdio';
  /** An absolute path; no shell is involved. */
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  /** Its complete environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Memory of all its processes together, MiB, and their number. */
  readonly memoryMb: number;
  readonly processes: number;
  /** Idle time after which it is ended, ms. */
  readonly idleMs: number;
}

/** Side effects of a call, as declared by the operator; hints of the server are ignored. */
const EFFECTS = ['once', 'none', 'idempotent'] as const;
const ON_UNKNOWN = ['fail', 'ask', 'repeat'] as const;

export interface ToolSettings {
  readonly name: string;
  readonly pin: string;
  readonly effects: (typeof EFFECTS)[number];
  readonly onUnknown: (typeof ON_UNKNOWN)[number];
  readonly timeoutMs: number;
  readonly maxResultBytes: number;
  /** Whether it answers with a task of its own. */
  readonly isLong: boolean;
  /** Its exposure as a skill; undefined: only skills call it. */
  readonly exposed?: ExposedTool | undefined;
  /** The definition that `parley ops mcp pin --write` stored: callers and models never see texts of the server itself. */
  readonly definition?: JsonObject | undefined;
}

/** The pin of an unreviewed tool, which is never called. */
export const UNPINNED = '';

const NAME = /^[a-z][a-z0-9_-]{0,63}$/;
const TOOL = /^[A-Za-z0-9_./-]{1,128}$/;
const PIN = /^sha256-[A-Za-z0-9_-]{43}$/;
const MEMBERS = [
  ...['url', 'auth', 'command', 'args', 'cwd', 'env', 'memoryMb', 'processes'],
  ...['idleMs', 'era', 'tools', 'concurrency'],
];
const TOOL_MEMBERS = [
  'pin',
  'effects',
  'onUnknown',
  'timeoutMs',
  'maxResultBytes',
  'long',
  'definition',
  ...EXPOSING_MEMBERS,
];

/** Reads MCP_SERVERS_FILE. @throws ConfigError with a line per fault */
export function readServerFile(path: string, variables: Variables): readonly ToolServerSettings[] {
  const faults = new FileFaults('MCP_SERVERS_FILE', variables);
  const servers = Object.entries(parsed(path)).flatMap(([name, value]) => serverOf(name, value, faults.of(name)) ?? []);
  faults.assertNone();
  return servers;
}

function serverOf(name: string, value: unknown, faults: FileFaults): ToolServerSettings | undefined {
  if (!NAME.test(name)) faults.add('the name must be a lower case letter and up to 63 more, digits, "_" or "-"');
  if (!isJsonObject(value)) {
    faults.add('must be an object');
    return undefined;
  }
  faults.onlyMembers(value, MEMBERS);
  const transport = transportOf(value, faults);
  const tools = isJsonObject(value.tools) ? value.tools : undefined;
  if (tools === undefined) faults.add('tools must be an object: a name and its terms each');
  if (transport === undefined || tools === undefined) return undefined;
  return {
    ...{ name, transport },
    era: faults.choice(value, 'era', ['auto', 'modern', 'legacy'] as const),
    tools: Object.entries(tools).flatMap(([tool, terms]) => toolOf(tool, terms, faults.of(tool)) ?? []),
    concurrency: faults.wholeNumber(value, 'concurrency', { usual: 16, most: 1000 }),
  };
}

function transportOf(value: JsonObject, faults: FileFaults): HttpTransport | StdioTransport | undefined {
  if ((value.url === undefined) === (value.command === undefined)) {
    faults.add('has either url or command');
    return undefined;
  }
  return value.url === undefined ? stdioOf(value, faults) : httpOf(value, faults);
}

function httpOf(value: JsonObject, faults: FileFaults): HttpTransport | undefined {
  const { url } = value;
  if (typeof url !== 'string' || !URL.canParse(url)) {
    faults.add('url must be the address of the server');
    return undefined;
  }
  return { type: 'http', url, auth: readAuth(value.auth, faults) };
}

function stdioOf(value: JsonObject, faults: FileFaults): StdioTransport | undefined {
  const { command, args = [], cwd, env = {} } = value;
  if (typeof command !== 'string' || !isAbsolute(command)) {
    faults.add('command must be an absolute path');
    return undefined;
  }
  if (!Array.isArray(args) || !args.every((one) => typeof one === 'string')) {
    faults.add('args must be texts');
    return undefined;
  }
  if (cwd !== undefined && (typeof cwd !== 'string' || !isAbsolute(cwd))) {
    faults.add('cwd must be an absolute path');
    return undefined;
  }
  if (!isJsonObject(env)) {
    faults.add('env must be an object of texts');
    return undefined;
  }
  return {
    ...{ type: 'stdio', command, args, cwd },
    env: Object.fromEntries(Object.keys(env).map((name) => [name, faults.text(env, name, 'env.')])),
    memoryMb: faults.wholeNumber(value, 'memoryMb', { usual: 512, most: 65_536 }),
    processes: faults.wholeNumber(value, 'processes', { usual: 16, most: 1000 }),
    idleMs: faults.wholeNumber(value, 'idleMs', { usual: 300_000, most: 86_400_000 }),
  };
}

function toolOf(name: string, value: unknown, faults: FileFaults): ToolSettings | undefined {
  if (!TOOL.test(name)) {
    faults.add('is no name of a tool');
    return undefined;
  }
  if (!isJsonObject(value)) {
    faults.add('must be an object');
    return undefined;
  }
  faults.onlyMembers(value, TOOL_MEMBERS);
  const { pin = UNPINNED, long = false, definition } = value;
  if (typeof pin !== 'string' || (pin !== UNPINNED && !PIN.test(pin))) {
    faults.add('pin must be what "parley ops mcp pin" prints');
    return undefined;
  }
  if (typeof long !== 'boolean') {
    faults.add('long is true or false');
    return undefined;
  }
  if (definition !== undefined && !isJsonObject(definition)) {
    faults.add('definition must be what "parley ops mcp pin" prints');
    return undefined;
  }
  return {
    ...{ name, pin, isLong: long, exposed: readExposed(value, faults), definition },
    effects: faults.choice(value, 'effects', EFFECTS),
    onUnknown: faults.choice(value, 'onUnknown', ON_UNKNOWN),
    timeoutMs: faults.wholeNumber(value, 'timeoutMs', { usual: 60_000, most: 86_400_000 }),
    maxResultBytes: faults.wholeNumber(value, 'maxResultBytes', { usual: 1_048_576, most: 16_777_216 }),
  };
}

function parsed(path: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ConfigError(`MCP_SERVERS_FILE: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!isJsonObject(value)) throw new ConfigError('MCP_SERVERS_FILE must be a JSON object: a name and a server each');
  return value;
}
