import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type PackFile, packOf, type SkillPack } from './skill-pack.js';

/** A pack that cannot be loaded; the message names it and the fix. The service must not start. */
export class SkillPackError extends Error {
  override readonly name = 'SkillPackError';
}

/** Compiled files are in dist/, and the included packs in dist/skills/; sources are next to each other. */
const OWN_PACKS = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../../skills/' : '../../skills/', import.meta.url),
);
const INDEX = /^index\.[jt]s$/;
const SKILL_FILE = /\.(skill|agent)\.[jt]s$/;
/** Folders below a pack that do not belong to it. */
const FOREIGN = /(^|[\\/])(node_modules|dist|\.[^\\/]+)[\\/]/;

/**
 * Loads packs of skills by name: a folder of an included pack (`echo`), a path (`./my-skills`), or an npm package.
 * Without names, all included packs. A folder with an `index` is its exports; any other is the exports of its `*.skill`
 * and `*.agent` files. Throws `SkillPackError`.
 */
export async function loadPacks(names?: readonly string[]): Promise<readonly SkillPack[]> {
  const wanted = names ?? (await ownPacks());
  const packs: SkillPack[] = [];
  // Sequential: the order of the names is the order of the skills in the card.
  for (const name of new Set(wanted)) packs.push(await loadPack(name));
  return packs;
}

async function ownPacks(): Promise<readonly string[]> {
  if (!existsSync(OWN_PACKS)) throw new SkillPackError(`There is no folder ${OWN_PACKS}: npm run build makes it.`);
  const entries = await readdir(OWN_PACKS, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

async function loadPack(name: string): Promise<SkillPack> {
  const folder = folderOf(name);
  const files = folder === undefined ? [await importedPackage(name)] : await importedFolder(name, folder);
  const pack = packOf(name, files, versionOf(files[0]?.url));
  if (pack.skills.length === 0) {
    throw new SkillPackError(`SKILLS names ${name}, which exports no class with @Skill({ … }).`);
  }
  return pack;
}

/** Undefined for the name of a package. */
function folderOf(name: string): string | undefined {
  const own = join(OWN_PACKS, name);
  if (/^[\w-]+$/.test(name) && existsSync(own)) return own;
  if (!name.startsWith('.') && !isAbsolute(name)) return undefined;
  const folder = resolve(name);
  if (!existsSync(folder)) throw new SkillPackError(`SKILLS names ${name}, but there is no folder ${folder}.`);
  return folder;
}

async function importedFolder(name: string, folder: string): Promise<readonly PackFile[]> {
  const names = (await readdir(folder, { recursive: true })).filter((each) => !FOREIGN.test(each));
  const index = names.find((each) => INDEX.test(each));
  const files = index === undefined ? names.filter((each) => SKILL_FILE.test(each)).sort() : [index];
  return Promise.all(
    files.map(async (file) => {
      const url = pathToFileURL(join(folder, file));
      return { url, exports: await imported(name, url.href) };
    }),
  );
}

async function importedPackage(name: string): Promise<PackFile> {
  const url = urlOfPackage(name);
  return { url: new URL(url), exports: await imported(name, url) };
}

/**
 * Resolved from the service, or from the working folder, since a linked service cannot resolve the project's packages.
 */
function urlOfPackage(name: string): string {
  try {
    return import.meta.resolve(name);
  } catch {
    try {
      return pathToFileURL(createRequire(resolve('package.json')).resolve(name)).href;
    } catch (cause) {
      throw notLoaded(name, 'it is not installed', cause);
    }
  }
}

/** The version in the nearest package file at or above a file. */
function versionOf(file: URL | undefined): string | undefined {
  if (file === undefined) return undefined;
  for (let folder = new URL('.', file); ; folder = new URL('..', folder)) {
    const path = new URL('package.json', folder);
    if (existsSync(path)) return (JSON.parse(readFileSync(path, 'utf8')) as { readonly version?: string }).version;
    if (folder.pathname === '/') return undefined;
  }
}

async function imported(name: string, specifier: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(specifier)) as Readonly<Record<string, unknown>>;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const isTypeScript = /Unknown file extension ".ts"|Invalid or unexpected token|Unexpected token '@'/.test(reason);
    if (!isTypeScript || !specifier.endsWith('.ts')) throw notLoaded(name, reason, cause);
    throw new SkillPackError(
      `SKILLS: the pack ${name} is TypeScript. Run it with "parley dev", or compile it with "parley build".`,
      { cause },
    );
  }
}

function notLoaded(name: string, reason: string, cause: unknown): SkillPackError {
  const fix = `${isMissing(cause) ? 'Install what it needs' : 'Correct it'}, or leave it out of SKILLS`;
  return new SkillPackError(`SKILLS: the pack ${name} cannot be loaded: ${reason.replace(/\.$/, '')}. ${fix}.`, {
    cause,
  });
}

/** Whether an error means that a package or a file is missing. */
function isMissing(cause: unknown): boolean {
  return (
    typeof cause === 'object' &&
    cause !== null &&
    'code' in cause &&
    /^(?:ERR_)?MODULE_NOT_FOUND$/.test(String(cause.code))
  );
}
