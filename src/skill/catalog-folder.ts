import { readdir } from 'node:fs/promises';
import type { CatalogFile } from './skill-catalog.js';

const SKILL_FILE = /^(.+\.skill)\.(?:ts|js)$/;

/** Imports every `*.skill` file under the catalog folder, in the order of their names, so that none is forgotten. */
export async function readCatalogFolder(): Promise<readonly CatalogFile[]> {
  const names = await readdir(new URL('./catalog/', import.meta.url), { recursive: true });
  const paths = names.flatMap((name) => SKILL_FILE.exec(name.replaceAll('\\', '/'))?.[1] ?? []);
  return Promise.all(
    paths.sort().map(async (path) => {
      const exports = (await import(`./catalog/${path}.js`)) as Record<string, unknown>;
      return { path, exports };
    }),
  );
}
