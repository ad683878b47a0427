import { existsSync, readFileSync, statSync } from 'node:fs';
import { parseDocument } from 'yaml';
import { ConfigError } from '../config-error.js';
import type { Variables } from '../variables/secret-files.js';

/** Members of a section, as they are in the file. */
export type FileSection = Readonly<Record<string, unknown>>;

/** The sections of a settings file, by their name. */
export type FileSections = Readonly<Record<string, FileSection>>;

/** Read where PARLEY_FILE is not set, if it exists. */
export const SETTINGS_FILE = 'parley.yaml';

const MAX_BYTES = 1_048_576;
/** Aliases that one file may resolve: bounds an expansion bomb. */
const MAX_ALIASES = 100;

/**
 * The sections of the file that PARLEY_FILE names, else of `parley.yaml` in the working folder; none without either.
 * Throws a `ConfigError` that does not repeat the content.
 */
export function readSettingsFile({ PARLEY_FILE }: Variables): FileSections {
  const path = PARLEY_FILE === undefined || PARLEY_FILE === '' ? SETTINGS_FILE : PARLEY_FILE;
  if (path === SETTINGS_FILE && !existsSync(path)) return {};
  const sections = parsed(path, textOf(path));
  if (sections === null) return {};
  if (!isObject(sections)) throw new ConfigError(`${path} must hold sections, as limits: with its settings below it`);
  const wrong = Object.keys(sections).filter((name) => !isObject(sections[name]) && sections[name] !== null);
  if (wrong.length > 0) throw new ConfigError(wrong.map((name) => `${path}: ${name} must hold settings`).join('\n'));
  return Object.fromEntries(Object.entries(sections).map(([name, section]) => [name, (section ?? {}) as FileSection]));
}

function textOf(path: string): string {
  try {
    if (statSync(path).size > MAX_BYTES) throw new Error(`it has more than ${String(MAX_BYTES)} bytes`);
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError(`PARLEY_FILE: ${path} cannot be read: ${reason}`, { cause });
  }
}

function parsed(path: string, text: string): unknown {
  const document = parseDocument(text, { prettyErrors: false });
  const [fault] = document.errors;
  if (fault !== undefined) {
    const line = text.slice(0, fault.pos[0]).split('\n').length;
    throw new ConfigError(`${path}, line ${String(line)}: it is not YAML (${fault.code})`);
  }
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown;
  } catch (cause) {
    throw new ConfigError(`${path} has too many aliases`, { cause });
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
