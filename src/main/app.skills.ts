import { readFileSync } from 'node:fs';
import type { DynamicModule, Type } from '@nestjs/common';
import { otherSkills } from './app.others.js';
import { allowedAddresses } from './app.settings.js';
import { ConfigError } from '../platform/config/config-error.js';
import type { Environment } from './app.environment.js';
import { settingsOf, variableNamesOf } from '../platform/config/settings/settings.js';
import type { Variables } from '../platform/config/variables/secret-files.js';
import { ModelModule } from '../models/model.module.js';
import type { ModelOptions } from '../models/model.options.js';
import type { BookSource } from '../models/choice/model-book.js';
import { modelsOfVariables } from '../models/file/model-variables.js';
import { type ModelsFile, readModelsFile } from '../models/file/models-file.js';
import { missingPackage } from '../models/providers/provider-ports.js';
import { processVariables } from '../platform/config/variables/process-variables.js';
import { loadPacks } from '../skill/pack/load-packs.js';
import type { SkillPack } from '../skill/pack/skill-pack.js';
import type { DtoClass, SkillHandler } from '@parley/sdk/skill/skill.js';
import { SkillModule } from '../skill/skill.module.js';
import { SkillServicesModule } from '../skill/skill-services.module.js';

/** Gets messages without a skill id, if it is loaded and DEFAULT_SKILL is not set. */
export const DEFAULT_SKILL_ID = 'echo';

/** The skills of this process and their settings. */
export interface LoadedSkills {
  readonly packs: readonly SkillPack[];
  /** An instance of each settings class, with checked values. */
  readonly settings: ReadonlyMap<DtoClass, object>;
}

/** @throws SkillPackError, or ConfigError with a line per wrong variable */
export async function loadSkills(environment: Environment, variables?: Variables): Promise<LoadedSkills> {
  const packs = await loadPacks(packNames(environment));
  const settings = new Map(settingsClasses(packs).map((type) => [type, settingsOf(type, variables)]));
  return { packs, settings };
}

/** The modules of skills, and their injectable dependencies: the same for a start and its check. */
export function skillModules(
  environment: Environment,
  skills: LoadedSkills,
  overrides: SkillOverrides = {},
): readonly DynamicModule[] {
  const others = otherSkills(environment);
  return [
    overrides.skills === undefined
      ? SkillModule.forPacks(skills.packs, others)
      : SkillModule.forSkills(overrides.skills, { others }),
    SkillServicesModule.forRoot(allowedAddresses(environment), skills.settings),
    ModelModule.forRoot({ ...modelSettings(environment), ...overrides.model }),
  ];
}

/** Replaces the packs of SKILLS and the model of MODEL_URL. */
export interface SkillOverrides {
  readonly skills?: readonly Type<SkillHandler>[] | undefined;
  readonly model?: Partial<ModelOptions> | undefined;
}

/** Packs with the settings available in the variables: a build knows no secrets. */
export function withKnownSettings(packs: readonly SkillPack[]): LoadedSkills & { readonly areComplete: boolean } {
  const settings = new Map<DtoClass, object>();
  let areComplete = true;
  for (const type of settingsClasses(packs)) {
    try {
      settings.set(type, settingsOf(type));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      areComplete = false;
      settings.set(type, new type());
    }
  }
  return { packs, settings, areComplete };
}

/** The names of the variables that packs of skills read. */
export function skillVariables(packs: readonly SkillPack[]): readonly string[] {
  return settingsClasses(packs).flatMap(variableNamesOf);
}

function settingsClasses(packs: readonly SkillPack[]): readonly DtoClass[] {
  return packs.flatMap(({ settings }) => settings);
}

/** Undefined: all included packs. */
function packNames({ SKILLS }: Environment): readonly string[] | undefined {
  const names = SKILLS?.split(',').map((name) => name.trim());
  return names?.filter((name) => name !== '');
}

/** The models of MODELS_FILE or MODEL_URL; without both, rules. @throws ConfigError with a line per fault */
export function modelSource(environment: Environment): BookSource | undefined {
  const { MODELS_FILE: path, MODEL_URL: url, MODEL_NAME: name = '', MODEL_KEY: text, secretPaths } = environment;
  if (path !== undefined) {
    if (url !== undefined) throw new ConfigError('MODELS_FILE and MODEL_URL are both set: keep one of them');
    return { path, file: readModels(path) };
  }
  if (url === undefined) return undefined;
  const key = text === undefined ? {} : { key: { text, file: secretPaths.MODEL_KEY } };
  const { priceIn, priceOut } = environment.models;
  return { file: modelsOfVariables({ url, name, ...key, priceIn, priceOut }) };
}

function readModels(path: string): ModelsFile {
  try {
    const file = readModelsFile(readFileSync(path, 'utf8'), processVariables());
    const types = new Set([...file.models.values()].map(({ provider }) => provider.type));
    const missing = [...types].flatMap((type) => missingPackage(type) ?? []);
    if (missing.length > 0) throw new Error(`packages are missing: npm install ${missing.join(' ')}`);
    return file;
  } catch (cause) {
    const lines = (cause instanceof Error ? cause.message : String(cause)).split('\n');
    throw new ConfigError(lines.map((line) => `MODELS_FILE ${path}: ${line}`).join('\n'), { cause });
  }
}

function modelSettings(environment: Environment): ModelOptions {
  const { turnTokens, turnCalls, priceIn, priceOut } = environment.models;
  const source = modelSource(environment);
  return {
    ...(source === undefined ? {} : { source }),
    limits: { maxTokens: turnTokens, maxCalls: turnCalls, prices: { in: priceIn, out: priceOut } },
  };
}
