import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MissingToolError } from '../image/buildah.js';
import { command } from '../support/command.js';
import { HELM_MODULE } from '../support/helm.mjs';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const KUBERNETES = '1.33.13';

const TOOLS = join(ROOT, '.cache/tools');
const MODULES: Readonly<Record<string, string>> = {
  crane: 'github.com/google/go-containerregistry/cmd/crane@v0.20.6',
  helm: HELM_MODULE,
};

/** The path of a program: that in .cache/tools, or of the machine. */
export function tool(name: string): string {
  const built = join(TOOLS, name);
  return existsSync(built) ? built : name;
}

/** Runs Helm with folders of its own. @returns its output, without the last line break */
export function helm(words: readonly string[], folder: string, env = process.env): Promise<string> {
  const folders = Object.fromEntries(
    ['CACHE', 'CONFIG', 'DATA'].map((name) => [`HELM_${name}_HOME`, join(folder, 'helm')]),
  );
  return command(tool('helm'), words, { cwd: ROOT, env: { ...env, ...folders } });
}

/**
 * Builds with Go what .cache/tools lacks, once.
 * @param isCached nothing is built
 * @throws MissingToolError
 */
export async function haveTools(isCached: boolean): Promise<void> {
  const missing = Object.keys(MODULES).filter((name) => !existsSync(join(TOOLS, name)));
  if (isCached && missing.length > 0) {
    throw new MissingToolError(`${missing.join(', ')} not in .cache/tools: npm run check:cluster builds them`);
  }
  mkdirSync(TOOLS, { recursive: true });
  for (const name of missing) {
    console.log(`Building ${name}, once …`);
    await command('go', ['install', MODULES[name] ?? ''], { env: { ...process.env, GOBIN: TOOLS } });
  }
}
