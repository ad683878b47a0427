import { register } from 'node:module';
import { CONFIG_SOURCE, findConfigFile } from '../../platform/config/config-file.js';
import { readConfigFile } from '../../platform/config/variables/flags.js';

/** Reads SKILLS from the config file of the project: the compiled one, or the source of a project that is not built. */
export async function readProjectConfig(): Promise<void> {
  const source = findConfigFile([CONFIG_SOURCE]);
  const file = findConfigFile() ?? source;
  if (file !== undefined && file === source) register('../../platform/typescript/hooks.mjs', import.meta.url);
  await readConfigFile(file);
}
