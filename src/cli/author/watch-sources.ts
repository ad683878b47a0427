import { existsSync, type FSWatcher, readdirSync, watch } from 'node:fs';
import { CONFIG_SOURCE } from '../../platform/config/config-file.js';
import { isSourceFolder } from './source-files.js';

/** Editors write a file in several steps. */
const SETTLED_MS = 40;
const READ_AT_START = new Set([CONFIG_SOURCE, 'parley.config.js', 'parley.config.mjs', '.env', 'package.json']);

/** Calls back once for each change of the sources in the working folder, with the name of a changed file. */
export function watchSources(onChange: (name: string) => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const changed = (name: string): void => {
    clearTimeout(timer);
    timer = setTimeout(onChange, SETTLED_MS, name);
  };
  const folders = readdirSync('.', { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && isSourceFolder(entry.name),
  );
  const watchers: readonly FSWatcher[] = [
    watch('.', (_event, name) => {
      if (name !== null && (READ_AT_START.has(name) || name.endsWith('.ts'))) changed(name);
    }),
    ...folders.map(({ name: folder }) =>
      watch(folder, { recursive: true }, (_event, name) => {
        changed(name === null ? folder : `${folder}/${name}`);
      }),
    ),
  ];
  for (const watcher of watchers) watcher.on('error', () => undefined);
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}

/** The folder of the skills of a project without a config file. */
export function usualFolder(): string {
  return existsSync('skills') ? './skills' : '.';
}
