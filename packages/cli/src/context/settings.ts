import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { usageError } from './cli-error.js';

/** Settings that a flag, a variable or a file may give (a2a-cli specification §7.2), with their built-in defaults. */
export const SETTINGS = {
  'agent-card': undefined,
  'a2a-version': undefined,
  'api-key': undefined,
  async: 'false',
  bearer: undefined,
  'client-cert': undefined,
  'client-key': undefined,
  'context-id': undefined,
  debug: 'false',
  insecure: 'false',
  metadata: undefined,
  output: 'text',
  'poll-interval': '2s',
  registry: undefined,
  'svc-param': undefined,
  'task-id': undefined,
  timeout: '5m',
  transport: undefined,
  verbose: 'false',
  wait: 'true',
} as const satisfies Readonly<Record<string, string | undefined>>;

export type SettingName = keyof typeof SETTINGS;

/** Settings whose values are not shown. */
const SECRET: readonly SettingName[] = ['bearer', 'api-key', 'svc-param'];

export interface Resolved {
  readonly value: string | undefined;
  /** `flag`, `environment`, the path of a file, or `default`. */
  readonly source: string;
}

/** Sources of settings beside the flags. */
export interface SettingSources {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** The working folder: `.env` is searched here and in its parents. */
  readonly folder: string;
  readonly home?: string;
  /** `--config`: a file in place of the local `.env`. */
  readonly config?: string | undefined;
  /** `--profile`: a file of the configuration folder in place of the local `.env`. */
  readonly profile?: string | undefined;
}

interface Layer {
  readonly source: string;
  readonly values: Readonly<Record<string, string | undefined>>;
}

/** Every flag as commander has it: by its name in camel case. */
export type Flags = Readonly<Record<string, unknown>>;

/** The settings of one command: flag before environment before local file before global file before default. */
export class Settings {
  private readonly layers: readonly Layer[];

  constructor(
    private readonly flags: Flags,
    sources: SettingSources,
  ) {
    this.layers = [{ source: 'environment', values: sources.variables }, ...filesOf(sources)];
  }

  resolve(name: SettingName): Resolved {
    const flag = this.flags[camelCase(name)];
    if (flag !== undefined) return { value: textOf(flag), source: 'flag' };
    const variable = variableOf(name);
    for (const { source, values } of this.layers) {
      const value = values[variable];
      if (value !== undefined && value !== '') return { value, source };
    }
    return { value: SETTINGS[name], source: 'default' };
  }

  text(name: SettingName): string | undefined {
    return this.resolve(name).value;
  }

  isOn(name: SettingName): boolean {
    return ['true', '1', 'yes', 'on'].includes((this.text(name) ?? '').toLowerCase());
  }

  /** A repeatable setting; in variables and files its values are separated by commas. */
  list(name: SettingName): readonly string[] {
    const flag = this.flags[camelCase(name)];
    if (Array.isArray(flag)) return flag.map(String);
    const text = this.text(name);
    return text === undefined ? [] : text.split(',').map((one) => one.trim());
  }

  /** A duration: `500ms`, `2s`, `5m`, `1h`; a bare number is seconds. @throws CliError usage */
  milliseconds(name: SettingName): number {
    const text = this.text(name) ?? '';
    const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text);
    if (match === null) throw usageError(`--${name} must be a duration such as 500ms, 2s or 5m: ${text}`);
    const unit = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }[match[2] ?? 's'] ?? 1000;
    return Number(match[1]) * unit;
  }

  /** Every setting with its source; secrets are replaced. */
  all(): Readonly<Record<SettingName, Resolved>> {
    const names = Object.keys(SETTINGS) as SettingName[];
    const shown = names.map((name) => {
      const { value, source } = this.resolve(name);
      return [name, { source, value: value !== undefined && SECRET.includes(name) ? '***' : value }];
    });
    return Object.fromEntries(shown) as Record<SettingName, Resolved>;
  }
}

/** The folder of the configuration and the tokens, shared with every tool of the specification. */
export function configFolder(home = homedir()): string {
  return join(home, '.config', 'a2a-cli');
}

/** `A2ACLI_AGENT_CARD` for `agent-card`. */
export function variableOf(name: string): string {
  return `A2ACLI_${name.toUpperCase().replaceAll('-', '_')}`;
}

function filesOf({ folder, home, config, profile }: SettingSources): readonly Layer[] {
  const own = profile === undefined ? config : join(configFolder(home), `${profile}.env`);
  if (own !== undefined && !existsSync(own)) throw usageError(`There is no file ${own}`);
  const local = own ?? findUp(folder);
  const global = join(configFolder(home), '.env');
  return [local, global].flatMap((path) =>
    path === undefined || !existsSync(path) ? [] : [{ source: path, values: parseEnv(readFileSync(path, 'utf8')) }],
  );
}

/** The `.env` of the folder or of the nearest one above it. */
function findUp(folder: string): string | undefined {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const path = join(at, '.env');
    if (existsSync(path)) return path;
    if (dirname(at) === at) return undefined;
  }
}

function textOf(flag: unknown): string {
  return Array.isArray(flag) ? flag.join(',') : String(flag);
}

function camelCase(name: string): string {
  return name.replaceAll(/-([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
}
