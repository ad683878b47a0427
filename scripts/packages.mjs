/**
 * Packs the service, the packages that it stands on, and each pack of skills that has packages of its own as tarballs: `npm run packages [FOLDER]`. The folder is
 * .cache/packages by default. A pack is installed beside the service and named in SKILLS. Beside the tarballs it writes their bill of
 * materials (CycloneDX), and fails when a package in it is under a licence that is not permitted.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sbomOf, unpermitted } from './sbom.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const target = resolve(process.argv[2] ?? join(ROOT, '.cache/packages'));
const stages = join(ROOT, '.cache/pack-stages');

rmSync(stages, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
const { version, engines } = packageFile('.');
/** @type {Record<string, string>} */
const tarballs = {};
pack(ROOT);
for (const name of folders('packages')) pack(join(ROOT, 'packages', name));
for (const name of folders('skills')) pack(stage(name));
rmSync(stages, { recursive: true, force: true });
writeSbom(join(target, `parley-${version}.cdx.json`));

/** The packages in a folder. @param {string} parent */
function folders(parent) {
  return readdirSync(join(ROOT, parent)).filter((name) => existsSync(join(ROOT, parent, name, 'package.json')));
}

/** A pack as a package: its compiled files, and its package file with an entry. @param {string} name */
function stage(name) {
  const folder = join(stages, name);
  cpSync(join(ROOT, 'dist/skills', name), folder, { recursive: true });
  if (!existsSync(join(folder, 'index.js'))) {
    const files = readdirSync(folder).filter((file) => /\.(skill|agent)\.js$/.test(file));
    writeFileSync(join(folder, 'index.js'), files.map((file) => `export * from './${file}';\n`).join(''));
  }
  const { private: isPrivate, ...rest } = packageFile(`skills/${name}`);
  if (isPrivate !== true) throw new Error(`skills/${name}/package.json must be private: its sources are no package`);
  const more = { version, engines, exports: './index.js', peerDependencies: { '@parley/sdk': version } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...rest, ...more }, undefined, 2));
  return folder;
}

/** @param {string} file */
function writeSbom(file) {
  const sbom = sbomOf(tarballs);
  const faults = unpermitted(sbom);
  if (faults.length > 0) throw new Error(`no permitted licence (scripts/sbom.mjs):\n${faults.join('\n')}`);
  writeFileSync(file, JSON.stringify(sbom, undefined, 2));
  console.error(`${file}: ${String(sbom.components.length)} packages, all under permitted licences`);
}

/** @param {string} folder */
function pack(folder) {
  const words = ['pack', folder, '--silent', '--pack-destination', target];
  const [file] = execFileSync('npm', words, { cwd: ROOT, encoding: 'utf8' }).trim().split('\n').slice(-1);
  const path = join(target, file ?? '');
  console.log(path);
  tarballs[JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).name] = path;
}

/** @param {string} folder */
function packageFile(folder) {
  return JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
}
