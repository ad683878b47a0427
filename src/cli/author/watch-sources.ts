import { existsSync, type FSWatcher, readdirSync, statSync, watch } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { CONFIG_SOURCE } from '../../platform/config/config-file.js';
import type { Variables } from '../../platform/config/variables/secret-files.js';
import { isSourceFolder } from './source-files.js';

/** Editors write a file in several steps. */
const SETTLED_MS = 40;
const READ_AT_START = [CONFIG_SOURCE, 'parley.config.js', 'parley.config.mjs', '.env', 'package.json'];

/**
 * Calls back once per change of the sources in the working folder, with the name of a changed file: skills, also in new
 * folders, and files named by variables (`AGENTS_FILE`). Ignores tests and the data of the service.
 */
export function watchSources(variables: Variables, onChange: (name: string) => void): () => void {
  const isSource = sourcesBy(variables);
  const watchers = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | undefined;
  const changed = (name: string): void => {
    if (!isSource(name)) return;
    clearTimeout(timer);
    timer = setTimeout(onChange, SETTLED_MS, name);
  };
  const follow = (folder: string): void => {
    const watcher = watch(folder, { recursive: true }, (_event, name) => {
      changed(name === null ? folder : `${folder}/${name}`);
    });
    watchers.set(
      folder,
      watcher.on('error', () => undefined),
    );
  };
  const folders = readdirSync('.', { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const { name } of folders.filter((entry) => isSourceFolder(entry.name))) follow(name);
  const here = watch('.', (_event, name) => {
    if (name === null) return;
    if (isNewFolder(name) && !watchers.has(name)) follow(name);
    changed(name);
  }).on('error', () => undefined);
  return () => {
    clearTimeout(timer);
    for (const watcher of [here, ...watchers.values()]) watcher.close();
  };
}

/** Returns the test for paths of sources. */
function sourcesBy(variables: Variables): (name: string) => boolean {
  const named = Object.entries(variables).flatMap(([name, value]) => (name.endsWith('_FILE') && value ? [value] : []));
  const read = new Set([...READ_AT_START, ...named].map((file) => relative('.', resolve(file))));
  const data = relative('.', resolve(variables.DATA_DIR ?? 'data'));
  return (name) => {
    if (read.has(name)) return true;
    if (name === data || name.startsWith(data + sep) || /\.(spec|test)\.tsx?$/.test(name)) return false;
    return name.includes('/') || name.endsWith('.ts');
  };
}

function isNewFolder(name: string): boolean {
  return isSourceFolder(name) && existsSync(name) && statSync(name).isDirectory();
}

/** The folder of the skills of a project without a config file. */
export function usualFolder(): string {
  return existsSync('skills') ? './skills' : '.';
}
