import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** @typedef {{ root: string, sources: readonly string[], stamp: string }} Place */

/** Whether no source is newer than the last build. @param {Place} place */
export function isFresh({ root, sources, stamp }) {
  const built = changedAt(join(root, stamp));
  return built > 0 && sources.every((source) => newestIn(join(root, source)) <= built);
}

/** @param {Place} place @param {Date} time */
export function markBuilt({ root, stamp }, time) {
  const path = join(root, stamp);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '');
  utimesSync(path, time, time);
}

/** Folders count too: a removed file has changed its folder. @param {string} path @returns {number} */
function newestIn(path) {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 0;
  if (!stats.isDirectory()) return stats.mtimeMs;
  return Math.max(stats.mtimeMs, ...readdirSync(path).map((name) => newestIn(join(path, name))));
}

/** @param {string} path @returns {number} */
function changedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
