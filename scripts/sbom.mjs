import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Licences (SPDX) under which a package of an installation may be: none of them asks anything of the code that uses it. */
const PERMITTED = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'Unlicense',
]);

/** Packages whose package file names no licence in the form of today, and the licence that is found in them. */
const READ_BY_HAND = { 'passport-strategy': 'MIT', pause: 'MIT' };

/**
 * The software bill of materials (CycloneDX 1.5) of an installation of these tarballs: every package that npm would install, without
 * those for development. npm reads it from a lock file that it makes for the purpose; in the clone itself, `npm sbom` leaves out what
 * packages for development use too.
 * @param {Record<string, string>} tarballs by the names of their packages
 */
export function sbomOf(tarballs) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-sbom-'));
  try {
    const dependencies = Object.fromEntries(Object.entries(tarballs).map(([name, file]) => [name, `file:${file}`]));
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ name: 'installation', version: '0.0.0', dependencies }),
    );
    const npm = (/** @type {string[]} */ ...words) =>
      execFileSync('npm', words, {
        cwd: folder,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'inherit'],
        maxBuffer: 64 * 1024 ** 2,
      });
    npm('install', '--package-lock-only', '--no-audit', '--no-fund', '--silent');
    return JSON.parse(npm('sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Packages of a bill of materials that are under no permitted licence. @param {{ components: any[] }} sbom @returns {string[]} */
export function unpermitted({ components }) {
  return components
    .map(({ name, version, licenses = [] }) => ({ name, version, licence: licenceOf(name, licenses) }))
    .filter(({ licence }) => !isPermitted(licence))
    .map(({ name, version, licence }) => `${name}@${version}: ${licence}`);
}

/** @param {string} name @param {any[]} licenses @returns {string} */
function licenceOf(name, licenses) {
  const found = licenses.map(({ expression, license }) => expression ?? license?.id ?? license?.name).filter(Boolean);
  return found.length > 0 ? found.join(' AND ') : (READ_BY_HAND[name] ?? 'no licence');
}

/** One of several by choice, or all of several. @param {string} expression */
function isPermitted(expression) {
  const plain = expression.replaceAll(/[()]/g, '');
  return plain.split(' OR ').some((choice) => choice.split(' AND ').every((licence) => PERMITTED.has(licence.trim())));
}
