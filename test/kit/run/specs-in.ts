import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Imports the specs of a folder and of those in it, but the long ones, in the order of their names. Jest loads all modules
 * of the service anew for each of its files, which takes seconds: a folder of specs is one file to it, its `suite.ts`.
 */
export async function specsIn(folder: string): Promise<void> {
  const specs = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.spec.ts') && !name.endsWith('.long.spec.ts'),
  );
  for (const spec of specs.sort()) await import(join(folder, spec));
}
