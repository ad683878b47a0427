import { readdir } from 'node:fs/promises';
import type { SkillSource } from './sandbox/sandboxed-skill.js';
import type { CatalogFile } from './skill-catalog.js';
import type { SkillClass } from './skill.js';

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

/** The compiled module that a skill class comes from; undefined when it is in none of these files. */
export function sourceOf(skill: SkillClass, files: readonly CatalogFile[]): SkillSource | undefined {
  for (const { path, exports } of files) {
    const exportName = Object.keys(exports).find((name) => exports[name] === skill);
    if (exportName !== undefined) {
      return { module: new URL(`./catalog/${path}.js`, import.meta.url), exportName };
    }
  }
  return undefined;
}
