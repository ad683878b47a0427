import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Folders of a project without sources. */
const SKIPPED = new Set(['node_modules', 'dist', 'data', 'coverage', 'vendor']);

export function isSourceFolder(name: string): boolean {
  return !name.startsWith('.') && !SKIPPED.has(name);
}

/** Relative paths of the files below a folder, without packages, build output and hidden folders. */
export function sourceFiles(folder: string): readonly string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.flatMap((entry) => {
    if (!entry.isDirectory()) return [entry.name];
    if (!isSourceFolder(entry.name)) return [];
    return sourceFiles(join(folder, entry.name)).map((name) => join(entry.name, name));
  });
}
