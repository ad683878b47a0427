import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CONFIG_SOURCE, findConfigFile, packsOfConfigFile } from '../../platform/config/config-file.js';
import { loadPacks } from '../../skill/pack/load-packs.js';
import { skillOptionsOf } from '../../skill/skill.js';
import { OperatorError } from '../ops/operator-error.js';
import type { Output } from '../ops/output.js';
import { sourceFiles } from './source-files.js';
import { compilerPath } from './typescript-runtime.js';

const RESULT = 'dist';

/** Compiles the project into dist/, with its other files, and loads its packs once. Throws `OperatorError`. */
export async function build(): Promise<Output> {
  if (!existsSync(CONFIG_SOURCE)) {
    throw new OperatorError(`There is no ${CONFIG_SOURCE} here; it exports { skills: ['./skills'] } by default.`);
  }
  rmSync(RESULT, { recursive: true, force: true });
  compile();
  copyAssets();
  const file = findConfigFile([join(RESULT, 'parley.config.js')]);
  if (file === undefined) {
    throw new OperatorError(`The compiler wrote no ${RESULT}/parley.config.js: rootDir of tsconfig.json must be ".".`);
  }
  const packs = await loadPacks((await packsOfConfigFile(file)).split(','));
  const skills = packs.flatMap((pack) => pack.skills.map(({ skill }) => skillOptionsOf(skill)?.id ?? ''));
  return { json: { folder: RESULT, skills }, text: `${RESULT}/ has the skills ${skills.join(', ')}.` };
}

/** tsconfig.build.json says what is compiled, or tsconfig.json where there is no such file. */
function compile(): void {
  const project = existsSync('tsconfig.build.json') ? 'tsconfig.build.json' : 'tsconfig.json';
  const target = ['--noEmit', 'false', '--outDir', RESULT, '--rootDir', '.', '--sourceMap'];
  const words = [compilerPath(), '--project', project, ...target];
  const { status } = spawnSync(process.execPath, words, { stdio: 'inherit' });
  if (status !== 0) throw new OperatorError('The build has failed: correct what the compiler reports.');
}

/** Skills find the files that they read, such as prompts and tables, beside themselves. */
function copyAssets(): void {
  const assets = sourceFiles('.').filter((name) => name.includes('/') && !/\.tsx?$/.test(name));
  for (const name of assets) cpSync(name, join(RESULT, name));
}
