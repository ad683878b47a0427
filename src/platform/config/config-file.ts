import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError } from './config-error.js';

/** The default export of `parley.config.ts`. */
export interface ParleyConfig {
  /** Packs of skills as in SKILLS: paths relative to the file, or npm packages. */
  readonly skills: readonly string[];
}

/** The config file of a project, as its author writes it. */
export const CONFIG_SOURCE = 'parley.config.ts';

/** File names that Node runs without a compiler: in the project, or in the output folder of `parley build`. */
const COMPILED = ['parley.config.js', 'parley.config.mjs', 'dist/parley.config.js'];

/** The first existing one of these files, by default a compiled config file in the working folder. */
export function findConfigFile(names: readonly string[] = COMPILED): string | undefined {
  return names.map((name) => resolve(name)).find((path) => existsSync(path));
}

/** The packs of a config file, in the form of SKILLS. Throws `ConfigError`. */
export async function packsOfConfigFile(file: string): Promise<string> {
  const { default: config } = await imported(file);
  const skills = typeof config === 'object' && config !== null && 'skills' in config ? config.skills : undefined;
  if (!isNames(skills)) {
    throw new ConfigError(`${file} must export { skills: ['./skills'] } by default: a list of folders and packages`);
  }
  return skills.map((name) => (name.startsWith('.') ? resolve(dirname(file), name) : name)).join(',');
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string' && /^[^,\s]+$/.test(name));
}

async function imported(file: string): Promise<{ readonly default?: unknown }> {
  try {
    return (await import(pathToFileURL(file).href)) as { readonly default?: unknown };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError(`${file} cannot be read: ${reason}`, { cause });
  }
}
