import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CONFIG_SOURCE, findConfigFile, packsOfConfigFile } from '../../platform/config/config-file.js';
import { withKnownSettings } from '../../main/app.skills.js';
import { readEnvFile } from '../../platform/config/variables/env-file.js';
import { loadConfig } from '../../main/app.environment.js';
import { processVariables } from '../../platform/config/variables/process-variables.js';
import { makeSkills, startReason } from '../../main/skills-judge.js';
import { constructorFault } from '../../skill/injection-fault.js';
import { loadPacks } from '../../skill/pack/load-packs.js';
import type { SkillPack } from '../../skill/pack/skill-pack.js';
import { skillOptionsOf } from '@parley/sdk/skill/skill.js';
import { OperatorError } from '../ops/operator-error.js';
import type { Output } from '../ops/output.js';
import { sourceFiles } from './source-files.js';
import { compilerPath } from './typescript-runtime.js';

const RESULT = 'dist';

/**
 * Compiles the project into dist/, copies its other files, and checks its skills as a start does. Throws
 * `OperatorError`.
 */
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
  await assertStartable(packs);
  const skills = packs.flatMap((pack) => pack.skills.map(({ skill }) => skillOptionsOf(skill)?.id ?? ''));
  return { json: { folder: RESULT, skills }, text: `${RESULT}/ has the skills ${skills.join(', ')}.` };
}

/**
 * Checks the skills as a start does, with the agents and tool servers of AGENTS_FILE and MCP_SERVERS_FILE. A
 * constructor may fail for a setting that only the deployment has.
 */
async function assertStartable(packs: readonly SkillPack[]): Promise<void> {
  readEnvFile();
  const { AGENTS_FILE, MCP_SERVERS_FILE, EGRESS_ALLOW } = processVariables();
  const skills = withKnownSettings(packs);
  try {
    await makeSkills(loadConfig({ AGENTS_FILE, MCP_SERVERS_FILE, EGRESS_ALLOW }), skills);
  } catch (error) {
    if (!skills.areComplete && error instanceof Error && constructorFault(error) !== undefined) return;
    throw new OperatorError(`The service would not start. ${startReason(error)}`);
  }
}

/** Compiles by tsconfig.build.json if it exists, else by tsconfig.json. */
function compile(): void {
  const project = existsSync('tsconfig.build.json') ? 'tsconfig.build.json' : 'tsconfig.json';
  const target = ['--noEmit', 'false', '--outDir', RESULT, '--rootDir', '.', '--sourceMap', '--declaration'];
  const words = [compilerPath(), '--project', project, ...target];
  const { status } = spawnSync(process.execPath, words, { stdio: 'inherit' });
  if (status !== 0) throw new OperatorError('The build has failed: correct what the compiler reports.');
}

/** Skills read files such as prompts and tables from their own folder. */
function copyAssets(): void {
  const assets = sourceFiles('.').filter((name) => name.includes('/') && !/\.tsx?$/.test(name));
  for (const name of assets) cpSync(name, join(RESULT, name));
}
